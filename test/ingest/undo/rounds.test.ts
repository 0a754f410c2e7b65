import { expect, test } from 'vitest'
import { engine } from '../../support/engine.js'
import { undoRound } from './rounds.js'

// `npm run campaign -- undo` has thousands of others.
test.each(engine === 'sqlite' ? [6, 12, 13, 38, 132] : [6])(
  'whatever is undone and redone, the history says why: round %i',
  async (seed) => {
    const figures = {}
    await undoRound(seed, 30, figures)
    expect(figures).toMatchObject({ undo: expect.any(Number) })
  },
)
