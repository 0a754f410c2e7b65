/**
 * Prints a measured figure next to its bound. One beyond it is named in words and fails nothing: a busy machine exceeds
 * any bound on time or memory.
 */
export function reportFigure(name: string, figure: number, bound: number, unit: string): void {
  const shown = (value: number) => `${Number(value.toPrecision(3))} ${unit}`
  console.info(`${name}: ${shown(figure)}, bound ${shown(bound)}${figure > bound ? ': BEYOND ITS BOUND' : ''}`)
}
