import type { SheetNoun } from '../nouns.js'

/** The noun itself in a heading adds nothing: Risk Owner, Issue Status. */
export const NOUN_WORDS: Readonly<Record<SheetNoun, ReadonlySet<string>>> = {
  risks: new Set(
    'risk risks risiko risikos risiken risque risques riesgo riesgos risco riscos ryzyko ryzyka'.split(' '),
  ),
  issues: new Set('issue issues ticket tickets bug bugs defect defects problem problems probleme'.split(' ')),
  people: new Set('emp employee employees person people staff user users worker workers member members'.split(' ')),
  groups: new Set(['group']),
  projects: new Set('project projekt projet proyecto projeto projektu'.split(' ')),
}

/** A column of people whose heading has one of these words is left out, whatever the others are. */
export const PRIVATE_WORDS = new Set(
  'password passwort passwd pwd pin secret token contrasena senha haslo salary salaries wage payroll gehalt salaire ssn iban passport kid kids child children'.split(
    ' ',
  ),
)

/** Words that a heading may have or lack. */
export const SMALL_WORDS = new Set(
  'of the a an for in de d du des la le les l el del der die das do da dos em'.split(' '),
)

/** Words that a heading has as well, and that change nothing: Description of Potential Risk, Identified Risks. */
export const FILLERS = new Set('potential possible identified known suspected or list'.split(' '))

/** Beside a factor: which state of the risk it is about. The prefixes are for languages without spaces. */
export const STATES = {
  current: { words: 'current actual now aktuell aktuelle actuel actuelle atual', prefixes: ['当前', '现有'] },
  inherent: {
    words:
      'inherent initial gross raw original untreated baseline pre before premitigation brutto brut brute inhärent inhérent ' +
      'inhérente initiale inherente inicial bruto bruta inherentne początkowe',
    prefixes: ['固有', '初始'],
  },
  residual: {
    words:
      'residual target net post after postmitigation mitigated treated remaining future new revised rest netto restrisiko résiduel ' +
      'résiduelle nette residuales neto objetivo líquido rezydualne szczątkowe',
    prefixes: ['残余', '剩余', '残留'],
  },
} as const

/** What is said beside a state: after mitigation, with controls, inherent risk assessment. */
export const STATE_FILLERS = new Set(
  'mitigation mitigations treatment treatments control controls measures actions response assessment analysis evaluation massnahmen'.split(
    ' ',
  ),
)
