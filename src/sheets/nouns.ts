/** What a sheet can contain. */
export const SHEET_NOUNS = ['people', 'groups', 'projects', 'risks', 'issues'] as const
export type SheetNoun = (typeof SHEET_NOUNS)[number]

export function isSheetNoun(text: string): text is SheetNoun {
  return SHEET_NOUNS.some((noun) => noun === text)
}
