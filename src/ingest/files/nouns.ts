/** What a sheet can contain. */
export const SHEET_NOUNS = ['people', 'groups', 'projects', 'risks', 'issues'] as const
export type SheetNoun = (typeof SHEET_NOUNS)[number]

/** The noun that a text names; the roster is called personnel elsewhere, and here too. */
export function sheetNounOf(text: string): SheetNoun | undefined {
  return text === 'personnel' ? 'people' : SHEET_NOUNS.find((noun) => noun === text)
}
