/** Abbreviations that are not the beginning of the name. */
const IRREGULAR: Readonly<Record<string, readonly [language: string, month: number]>> = { mrz: ['de', 3] }

const MONTHS = 12
/** Fewer letters are no abbreviation that people use. */
const LETTERS_MIN = 3

const known = new Map<string, readonly (readonly [name: string, month: number])[]>()

/** Months that were found, by languages and text: a column has the same twelve names over and over. */
const found = new Map<string, number>()

/** The number of a month by its name or the beginning of it, in English or one of these languages. */
export function monthNumber(text: string, languages: readonly string[]): number | undefined {
  const key = `${languages.join()} ${text}`
  const month = found.get(key) ?? searched(plain(text), languages)
  if (month !== undefined) found.set(key, month)
  return month
}

function searched(wanted: string, languages: readonly string[]): number | undefined {
  const names = ['en', ...languages].flatMap(namesOf)
  const exact = names.find(([name]) => name === wanted)
  if (exact) return exact[1]
  const irregular = IRREGULAR[wanted]
  if (irregular && languages.includes(irregular[0])) return irregular[1]
  if (wanted.length < LETTERS_MIN) return undefined
  const months = new Set(names.filter(([name]) => name.startsWith(wanted)).map(([, month]) => month))
  // `jui` may be juin or juillet.
  return months.size === 1 ? [...months][0] : undefined
}

/** Whether month names of a language are known. */
export function isMonthLanguage(language: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(language).length === 1
  } catch {
    return false
  }
}

function namesOf(language: string): readonly (readonly [string, number])[] {
  const before = known.get(language)
  if (before) return before
  // Beside a day, some languages inflect the name: styczeń, 3 stycznia.
  const forms = [{ month: 'long' }, { month: 'short' }, { day: 'numeric', month: 'long' }] as const
  const names = forms.flatMap((form) => {
    const format = new Intl.DateTimeFormat(language, { ...form, timeZone: 'UTC' })
    return Array.from({ length: MONTHS }, (_, index) => {
      const part = format.formatToParts(Date.UTC(2026, index, 1)).find(({ type }) => type === 'month')
      return [plain(part?.value ?? ''), index + 1] as const
    })
  })
  known.set(language, names)
  return names
}

function plain(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/[\p{M}.]/gu, '')
    .toLowerCase()
}
