import type { IssueSeverity, IssueStatus, PersonStatus, ProjectStatus, RiskStatus } from '../../../vocabulary.js'

/**
 * The words of people's scales and statuses. A text counts by its whole, else by its beginning up to a bracket, a dash
 * or a slash. Case and accents do not matter.
 */

/** What stands for a blank. */
export const BLANKS =
  'n/a, na, n.a., none, nil, –, —, ?, tbd, tbc, tba, to be determined, unknown, not assessed, not rated, not set, no priority, not applicable, unbekannt, keine, k.a., entfällt'

/** The steps from 1 to 5 of both factors, and of a level. */
export const STEPS = {
  1: 'very low, verylow, vl, negligible, insignificant, trivial, minimal, lowest, sehr niedrig, sehr gering, vernachlässigbar, unbedeutend, très faible, négligeable, muy bajo, muy baja, muito baixo, muito baixa, bardzo niskie, bardzo niski, 很低',
  2: 'low, l, lo, minor, small, marginal, limited, slight, niedrig, gering, klein, geringfügig, faible, mineur, mineure, bajo, baja, menor, baixo, baixa, niskie, niski, 低',
  3: 'medium, m, med, moderate, mod, average, normal, middle, mittel, mäßig, moderat, moyen, moyenne, modéré, modérée, medio, media, moderado, moderada, médio, média, średnie, średni, 中',
  4: 'high, h, hi, major, significant, serious, substantial, important, hoch, groß, erheblich, bedeutend, wesentlich, schwer, élevé, élevée, fort, forte, majeur, majeure, alto, alta, mayor, elevado, elevada, maior, wysokie, wysoki, 高',
  5: 'very high, veryhigh, vh, critical, extreme, catastrophic, severe, highest, sehr hoch, kritisch, katastrophal, extrem, très élevé, très élevée, critique, muy alto, muy alta, crítico, crítica, muito alto, muito alta, bardzo wysokie, bardzo wysoki, krytyczne, 很高',
} as const

/** The further words of a likelihood. */
export const LIKELIHOOD_STEPS = {
  1: 'rare, remote, improbable, impossible, very unlikely, highly unlikely, very rare, selten, sehr selten, sehr unwahrscheinlich, très improbable, raro, muy improbable, muito improvável, rzadkie',
  2: 'unlikely, seldom, infrequent, unwahrscheinlich, peu probable, poco probable, pouco provável, improvável, mało prawdopodobne',
  3: 'possible, occasional, credible, möglich, gelegentlich, denkbar, posible, possível, możliwe',
  4: 'likely, probable, expected, wahrscheinlich, häufig, provável, prawdopodobne',
  5: 'almost certain, certain, very likely, highly likely, near certain, frequent, definite, nearly certain, fast sicher, nahezu sicher, sicher, sehr wahrscheinlich, sehr häufig, presque certain, très probable, casi seguro, muy probable, quase certo, muito provável, prawie pewne, bardzo prawdopodobne',
}

/** One step less where the column also has one of the others, as in Negligible, Marginal, Critical, Catastrophic. */
export const BELOW_OTHERS = {
  words: ['critical', 'severe', 'kritisch', 'critique', 'critico', 'critica', 'krytyczne'],
  others: ['catastrophic', 'extreme', 'katastrophal'],
}

/** The severities of issues, with the priorities of Jira in its languages; P1 and S1 are handled by themselves. */
export const SEVERITY_WORDS = {
  LOW: `${STEPS[1]}, ${STEPS[2]}, cosmetic, nice to have, optional, niedrigste, le plus bas, más baja, mais baixa, najniższy`,
  MEDIUM: `${STEPS[3]}, default, standard`,
  HIGH: STEPS[4],
  CRITICAL: `${STEPS[5]}, blocker, urgent, immediate, showstopper, emergency, p0, sev0, höchste, dringend, sofort, la plus haute, más alta, mais alta, najwyższy`,
} satisfies Record<IssueSeverity, string>

/** The statuses of each noun; those of issues have the states of Azure DevOps, OpenProject, and of Jira in its languages. */
export const STATUS_WORDS = {
  risks: {
    OPEN: 'open, opened, active, new, identified, raised, draft, proposed, in progress, ongoing, monitoring, monitored, watch, monitor, mitigating, mitigated, treating, treated, escalated, accepted, on hold, parked, pending, planned, assessed, under review, in review, review, managed, controlled, mitigate, accept, transfer, treat, avoid, live, current, not started, approved, assigned, reopened, transferred, offen, neu, aktiv, identifiziert, in arbeit, in bearbeitung, laufend, überwacht, akzeptiert, beobachten, ouvert, en cours, abierto, en curso, aberto, em andamento, em curso, 进行中',
    OCCURRED: 'occurred, materialised, materialized, realised, realized, triggered, happened, issue, eingetreten',
    CLOSED:
      'closed, close, resolved, done, complete, completed, retired, cancelled, canceled, expired, obsolete, rejected, inactive, eliminated, avoided, withdrawn, archived, removed, geschlossen, erledigt, abgeschlossen, beendet, entfallen, inaktiv, clos, cerrado, fechado, 已关闭',
  } satisfies Record<RiskStatus, string>,
  issues: {
    OPEN: 'open, opened, new, to do, todo, backlog, reopened, raised, reported, identified, not started, selected for development, ready, accepted, triage, assigned, planned, draft, unassigned, proposed, approved, in specification, specified, confirmed, scheduled, offen, neu, zu erledigen, aufgaben, wiedereröffnet, ouvert, à faire, abierto, por hacer, tareas por hacer, aberto, tarefas pendentes, do zrobienia',
    IN_PROGRESS:
      'in progress, inprogress, progressing, ongoing, doing, wip, started, active, in review, review, under review, code review, testing, in testing, qa, in development, development, investigating, escalated, mitigated, indeterminate, committed, developed, feedback, in arbeit, in bearbeitung, laufend, en cours, en curso, em andamento, w toku',
    BLOCKED:
      'blocked, on hold, hold, parked, waiting, impeded, pending, waiting for customer, waiting for support, stalled, deferred, paused, blockiert, wartend, zurückgestellt, angehalten',
    RESOLVED:
      'resolved, done, fixed, complete, completed, solved, verified, ready for release, released, deployed, delivered, finished, erledigt, gelöst, fertig, behoben, abgeschlossen, terminé, terminée, terminé(e), listo, finalizada, concluído, itens concluídos, gotowe',
    CLOSED:
      "closed, close, cancelled, canceled, won't do, won't fix, wontfix, duplicate, rejected, invalid, obsolete, declined, archived, removed, geschlossen, abgelehnt, abgewiesen, abgebrochen, verworfen, clos, fechado, 已关闭",
  } satisfies Record<IssueStatus, string>,
  people: {
    ACTIVE:
      'active, enabled, true, yes, y, 1, employed, current, on leave, leave, provisioned, recovery, locked out, password expired, aktiv, ja, wahr, beschäftigt, beurlaubt, actif, oui, vrai, activo, activa, sí, ativo, ativa, sim, aktywny, tak',
    INACTIVE:
      'inactive, disabled, false, no, n, 0, terminated, left, leaver, resigned, retired, former, suspended, deactivated, deprovisioned, staged, archived, inaktiv, nein, falsch, ausgeschieden, gekündigt, deaktiviert, inactif, non, faux, parti, partie, inactivo, inactiva, inativo, inativa, não, nieaktywny, nie',
  } satisfies Record<PersonStatus, string>,
  projects: {
    ACTIVE:
      'active, open, in progress, ongoing, running, live, on track, at risk, off track, delayed, started, planned, planning, new, not started, green, amber, yellow, red, aktiv, laufend, offen, in arbeit, geplant',
    ON_HOLD: 'on hold, hold, paused, suspended, stalled, pausiert, angehalten, zurückgestellt',
    CLOSED:
      'closed, complete, completed, done, ended, finished, cancelled, canceled, archived, inactive, terminated, geschlossen, abgeschlossen, beendet, abgebrochen, inaktiv',
  } satisfies Record<ProjectStatus, string>,
}

export const RESPONSE_WORDS = {
  AVOID: 'avoid, avoidance, eliminate, terminate, prevent, remove, vermeiden, vermeidung, beseitigen',
  MITIGATE:
    'mitigate, mitigation, reduce, reduction, treat, treatment, control, minimise, minimize, modify, manage, mindern, vermindern, verminderung, minderung, reduzieren, reduktion, reduzierung, begrenzen',
  TRANSFER:
    'transfer, transference, share, sharing, insure, insurance, outsource, übertragen, übertragung, überwälzen, teilen, versichern',
  ACCEPT:
    'accept, acceptance, accepted, tolerate, retain, retention, monitor, watch, akzeptieren, akzeptanz, akzeptiert, tragen, beobachten',
}

/** The kinds of rows in a RAID log. */
export const RAID_WORDS = {
  risks: 'risk, risks, r, threat, risiko',
  issues: 'issue, issues, i, problem, bug, defect, incident',
  others:
    'assumption, assumptions, a, dependency, dependencies, d, decision, decisions, action, actions, opportunity, change, constraint, lesson, annahme, abhängigkeit, entscheidung, maßnahme, chance',
}
