/**
 * The words of people's scales and statuses, each in the languages of the aliases. A text counts by its whole, else by
 * its beginning up to a bracket, a dash or a slash. Case and accents do not matter.
 */

/** What stands for a blank. */
export const BLANKS =
  'n/a, na, n.a., none, nil, –, —, ?, tbd, tbc, tba, to be determined, unknown, not assessed, not rated, not applicable, pending assessment, offen zu klären, unbekannt, keine, k.a., entfällt, inconnu, sans objet, à définir, desconocido, no aplica, por definir, desconhecido, não aplicável, a definir, nieznane, nie dotyczy, brak, 无, 未知, 待定, 不适用'

const SHARED_STEPS = {
  1: 'very low, verylow, vl, negligible, insignificant, trivial, minimal, lowest, extremely low, sehr niedrig, sehr gering, vernachlässigbar, unbedeutend, unwesentlich, très faible, négligeable, insignifiant, muy bajo, muy baja, insignificante, despreciable, muito baixo, muito baixa, desprezível, mínimo, bardzo niskie, bardzo niski, bardzo mały, nieistotne, pomijalne, 很低, 极低, 非常低, 可忽略, 轻微',
  2: 'low, l, lo, quite low, minor, small, marginal, limited, slight, niedrig, gering, klein, geringfügig, begrenzt, faible, mineur, mineure, bas, limité, bajo, baja, menor, leve, baixo, baixa, niskie, niski, niska, małe, mały, drobne, 低, 较低, 较小, 小',
  3: 'medium, m, med, moderate, mod, average, normal, middle, mittel, mäßig, mittelmäßig, moderat, moyen, moyenne, modéré, modérée, medio, media, moderado, moderada, médio, média, mediano, średnie, średni, średnia, umiarkowane, umiarkowany, 中, 中等, 一般, 中度',
  4: 'high, h, hi, quite high, hazardous, major, significant, serious, substantial, important, hoch, groß, erheblich, bedeutend, wesentlich, schwer, élevé, élevée, fort, forte, majeur, majeure, important, importante, haut, alto, alta, mayor, significativo, grave, elevado, elevada, maior, wysokie, wysoki, wysoka, duże, duży, znaczące, poważne, 高, 较高, 较大, 大, 严重, 重大',
  5: 'very high, veryhigh, vh, critical, extreme, catastrophic, severe, highest, extremely high, sehr hoch, kritisch, katastrophal, extrem, existenzbedrohend, très élevé, très élevée, très fort, critique, catastrophique, extrême, muy alto, muy alta, crítico, crítica, catastrófico, extremo, muito alto, muito alta, extremo, bardzo wysokie, bardzo wysoki, bardzo duże, krytyczne, krytyczny, katastrofalne, 很高, 极高, 非常高, 灾难性, 特别重大, 极严重, 非常严重',
}

/** The steps from 1 to 5 of both factors, and of a level. */
export const STEPS: Readonly<Record<string, string>> = SHARED_STEPS

/** The further words of a likelihood. */
export const LIKELIHOOD_STEPS: Readonly<Record<string, string>> = {
  1: 'rare, remote, improbable, impossible, very unlikely, highly unlikely, extremely unlikely, very rare, exceptional, selten, sehr selten, sehr unwahrscheinlich, unvorstellbar, très improbable, exceptionnel, raro, rara, muy improbable, remoto, muito improvável, rzadkie, bardzo mało prawdopodobne, 罕见, 极少, 几乎不可能',
  2: 'unlikely, seldom, infrequent, low probability, unwahrscheinlich, vorstellbar, entfernt vorstellbar, eher unwahrscheinlich, gelegentlich selten, improbable rare, peu probable, peu vraisemblable, improbable, poco probable, improvável, pouco provável, mało prawdopodobne, 不太可能, 不大可能',
  3: 'possible, occasional, credible, even chance, probable possible, may happen, möglich, gelegentlich, denkbar, possible, vraisemblable, occasionnel, posible, ocasional, possível, możliwe, możliwy, 可能, 偶尔',
  4: 'likely, probable, expected, wahrscheinlich, häufig, probable, très vraisemblable, fréquent, provável, frecuente, frequente, prawdopodobne, prawdopodobny, 很可能, 经常',
  5: 'almost certain, certain, very likely, highly likely, near certain, near certainty, frequent, definite, nearly certain, almost certainly, fast sicher, nahezu sicher, sicher, sehr wahrscheinlich, sehr häufig, quasi certain, presque certain, très probable, certain, casi seguro, casi cierto, seguro, muy probable, quase certo, certo, muito provável, niemal pewne, prawie pewne, pewne, bardzo prawdopodobne, 几乎肯定, 肯定, 必然, 频繁',
}

/** One step less where the column also has one of the others, as in Negligible, Marginal, Critical, Catastrophic. */
export const BELOW_OTHERS: readonly { readonly words: readonly string[]; readonly others: readonly string[] }[] = [
  {
    words: ['critical', 'severe', 'critique', 'kritisch', 'critico', 'critica', 'krytyczne'],
    others: ['catastrophic', 'catastrophique', 'katastrophal', 'catastrofico', 'katastrofalne', 'extreme'],
  },
]

/** The severities of issues; P1 and S1 are handled by themselves. */
export const SEVERITY_WORDS: Readonly<Record<string, string>> = {
  LOW: `${SHARED_STEPS[1]}, ${SHARED_STEPS[2]}, trivial, cosmetic, lowest, nice to have, optional, niedrigste, le plus bas, más baja, mais baixa, najniższy, 最低, 建议`,
  MEDIUM: `${SHARED_STEPS[3]}, default, standard, 普通, 中级`,
  HIGH: `${SHARED_STEPS[4]}, urgent high, 紧急`,
  CRITICAL: `${SHARED_STEPS[5]}, blocker, urgent, immediate, showstopper, show stopper, emergency, highest, p0, sev0, höchste, dringend, sofort, la plus haute, bloquant, urgente, más alta, bloqueante, mais alta, imediato, najwyższy, pilne, blokujący, 最高, 致命, 阻塞, 立刻`,
}

export const RISK_STATUS_WORDS: Readonly<Record<string, string>> = {
  OPEN: 'open, opened, active, new, identified, raised, draft, proposed, in progress, ongoing, progressing, monitoring, monitored, watch, watching, monitor, mitigating, mitigated, being mitigated, mitigation in progress, in mitigation, treating, treated, under treatment, in treatment, escalated, accepted, on hold, pending, planned, assessed, analysed, analyzed, under review, in review, review, managed, controlled, potential, mitigate, accept, transfer, treat, avoid, live, current, not started, approved, assigned, reopened, transferred, offen, neu, aktiv, identifiziert, in arbeit, in bearbeitung, laufend, überwacht, akzeptiert, beobachten, ouvert, ouverte, nouveau, actif, en cours, identifié, surveillé, accepté, à traiter, traité, abierto, abierta, activo, nuevo, en curso, en proceso, identificado, en seguimiento, aceptado, mitigado, pendiente, aberto, aberta, ativo, novo, em andamento, em curso, em tratamento, aceito, pendente, monitorado, otwarte, otwarty, aktywne, aktywny, nowe, w toku, w trakcie, monitorowane, zaakceptowane, 打开, 开放, 未关闭, 进行中, 新建, 已识别, 监控中, 处理中, 跟踪中, 待处理, 已缓解, 未解决',
  OCCURRED:
    'occurred, materialised, materialized, realised, realized, triggered, happened, issue, became issue, became an issue, converted to issue, eingetreten, survenu, avéré, réalisé, materializado, ocurrido, ocorrido, materializou-se, zmaterializowane, wystąpiło, 已发生, 发生',
  CLOSED:
    'closed, close, resolved, done, complete, completed, retired, cancelled, canceled, expired, obsolete, rejected, inactive, eliminated, avoided, withdrawn, archived, no longer valid, not applicable anymore, removed, geschlossen, erledigt, abgeschlossen, beendet, entfallen, inaktiv, clos, close, fermé, fermée, clôturé, clôturée, terminé, résolu, cerrado, cerrada, resuelto, finalizado, inactivo, fechado, fechada, encerrado, encerrada, concluído, resolvido, inativo, zamknięte, zamknięty, zakończone, nieaktywne, 已关闭, 关闭, 已完成, 已解决, 已消除',
}

export const ISSUE_STATUS_WORDS: Readonly<Record<string, string>> = {
  OPEN: 'open, opened, new, to do, todo, backlog, reopened, raised, reported, identified, not started, selected for development, ready, ready for development, accepted, triage, assigned, planned, draft, unassigned, active new, offen, neu, zu erledigen, aufgaben, wiedereröffnet, ouvert, ouverte, nouveau, à faire, abierto, abierta, nuevo, nueva, por hacer, tareas por hacer, pendiente, aberto, aberta, novo, a fazer, tarefas pendentes, pendente, otwarte, otwarty, nowe, nowy, do zrobienia, 打开, 新建, 待办, 待处理, 开放, 未解决, 重新打开',
  IN_PROGRESS:
    'in progress, inprogress, progressing, ongoing, doing, wip, started, active, in review, review, under review, code review, testing, in testing, in test, qa, in development, development, implementing, investigating, under investigation, being worked, escalated, mitigated, in arbeit, in bearbeitung, laufend, in prüfung, en cours, en révision, en curso, en progreso, en proceso, em andamento, em curso, em progresso, em revisão, w toku, w trakcie, w realizacji, 进行中, 处理中, 正在处理, 测试中, 评审中',
  BLOCKED:
    'blocked, on hold, hold, waiting, impeded, pending, waiting for customer, waiting for support, waiting on, stalled, deferred, paused, blockiert, wartend, zurückgestellt, angehalten, bloqué, en attente, suspendu, bloqueado, en espera, bloqueada, em espera, suspenso, zablokowane, wstrzymane, oczekuje, 阻塞, 等待, 暂停, 搁置, 挂起',
  RESOLVED:
    'resolved, done, fixed, complete, completed, solved, verified, ready for release, released, deployed, delivered, finished, erledigt, gelöst, fertig, behoben, abgeschlossen, résolu, terminé, terminée, fait, corrigé, resuelto, resuelta, hecho, listo, finalizado, finalizada, terminado, resolvido, resolvida, concluído, itens concluídos, feito, rozwiązane, gotowe, zakończone, naprawione, 已解决, 完成, 已完成, 已修复',
  CLOSED:
    "closed, close, cancelled, canceled, won't do, won't fix, wontfix, duplicate, rejected, invalid, obsolete, declined, archived, geschlossen, abgelehnt, abgebrochen, verworfen, clos, close, fermé, fermée, annulé, rejeté, cerrado, cerrada, cancelado, rechazado, fechado, fechada, encerrado, rejeitado, zamknięte, zamknięty, odrzucone, anulowane, 已关闭, 关闭, 已取消, 已拒绝",
}

export const PERSON_STATUS_WORDS: Readonly<Record<string, string>> = {
  ACTIVE:
    'active, enabled, true, yes, y, 1, employed, current, on leave, leave, full time, part time, aktiv, ja, wahr, beschäftigt, beurlaubt, actif, active, oui, vrai, en poste, en congé, activo, activa, sí, si, verdadero, ativo, ativa, sim, verdadeiro, aktywny, aktywna, tak, zatrudniony, 在职, 启用, 是, 活跃',
  INACTIVE:
    'inactive, disabled, false, no, n, 0, terminated, left, leaver, resigned, retired, former, suspended, deactivated, archived, inaktiv, nein, falsch, ausgeschieden, gekündigt, deaktiviert, inactif, inactive, non, faux, parti, sorti, inactivo, inactiva, falso, baja, de baja, inativo, inativa, não, desligado, nieaktywny, nieaktywna, nie, zwolniony, 离职, 禁用, 否, 停用',
}

export const PROJECT_STATUS_WORDS: Readonly<Record<string, string>> = {
  ACTIVE:
    'active, open, in progress, ongoing, running, live, on track, at risk, off track, delayed, started, planned, planning, new, not started, initiation, execution, green, amber, yellow, red, aktiv, laufend, offen, in arbeit, geplant, actif, en cours, ouvert, planifié, activo, en curso, abierto, planificado, ativo, em andamento, aberto, planejado, aktywny, w toku, otwarty, planowany, 进行中, 活跃, 计划中, 未开始',
  ON_HOLD:
    'on hold, hold, paused, suspended, stalled, pausiert, angehalten, zurückgestellt, en pause, suspendu, en attente, en pausa, suspendido, en espera, em pausa, suspenso, em espera, wstrzymany, zawieszony, 暂停, 搁置, 挂起',
  CLOSED:
    'closed, complete, completed, done, ended, finished, cancelled, canceled, archived, inactive, terminated, geschlossen, abgeschlossen, beendet, abgebrochen, inaktiv, clos, terminé, annulé, achevé, inactif, cerrado, completado, cancelado, finalizado, terminado, fechado, concluído, encerrado, zamknięty, zakończony, anulowany, 已关闭, 已完成, 完成, 已取消',
}

export const RESPONSE_WORDS: Readonly<Record<string, string>> = {
  AVOID:
    'avoid, avoidance, eliminate, terminate, prevent, remove, vermeiden, vermeidung, beseitigen, éviter, évitement, supprimer, evitar, eliminar, prevenir, unikanie, unikać, eliminacja, 规避, 避免, 消除',
  MITIGATE:
    'mitigate, mitigation, reduce, reduction, treat, treatment, control, minimise, minimize, modify, manage, mindern, vermindern, verminderung, minderung, reduzieren, reduktion, reduzierung, begrenzen, réduire, réduction, atténuer, atténuation, mitigar, reducir, mitigación, reducción, reduzir, mitigação, redução, tratar, redukcja, redukować, ograniczenie, ograniczanie, łagodzenie, 减轻, 缓解, 降低, 减少, 控制',
  TRANSFER:
    'transfer, transference, share, sharing, insure, insurance, outsource, übertragen, übertragung, überwälzen, überwälzung, transferieren, teilen, versichern, transférer, transfert, partager, partage, transferir, transferencia, compartir, transferência, compartilhar, przeniesienie, przenieść, dzielenie, 转移, 转嫁, 分担',
  ACCEPT:
    'accept, acceptance, accepted, tolerate, retain, retention, monitor, watch, no action, akzeptieren, akzeptanz, akzeptiert, tragen, selbst tragen, beobachten, accepter, acceptation, accepté, conserver, aceptar, aceptación, asumir, aceitar, aceitação, assumir, akceptacja, akceptować, tolerowanie, 接受, 承担, 自留, 容忍',
}

/** The kinds of rows in a RAID log. */
export const RAID_WORDS: Readonly<Record<string, string>> = {
  risks: 'risk, risks, r, threat, risiko, risque, riesgo, risco, ryzyko, 风险',
  issues:
    'issue, issues, i, problem, bug, defect, incident, issue log, problème, problema, incidencia, zagadnienie, 问题',
  others:
    'assumption, assumptions, a, dependency, dependencies, d, decision, decisions, action, actions, opportunity, change, change request, constraint, lesson, annahme, abhängigkeit, entscheidung, maßnahme, chance, hypothèse, dépendance, décision, supuesto, dependencia, decisión, premissa, dependência, decisão, 假设, 依赖, 决策',
}
