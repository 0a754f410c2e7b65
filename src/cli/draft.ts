import { randomBytes } from 'node:crypto'
import { closeSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { WrongUsage } from './command.js'

/** For its owner alone: what is exported or reported names people. */
const MODE = 0o600

/**
 * A file on its way, under a name that nobody can foresee until it is whole. It is always a new one, so that no link
 * which somebody has put in its place is followed, and no half of it is ever taken for all of it.
 */
export class Draft {
  readonly descriptor: number
  private readonly file: string
  private readonly path: string

  /** `otherwise` says what to do where the name is that of a device or a pipe, which would be replaced. */
  constructor(file: string, otherwise: string) {
    if (statSync(file, { throwIfNoEntry: false })?.isFile() === false)
      throw new WrongUsage(`${file} is no ordinary file. ${otherwise}`)
    this.file = file
    this.path = `${file}.${randomBytes(6).toString('hex')}.partial`
    try {
      this.descriptor = openSync(this.path, 'wx', MODE)
    } catch (error) {
      throw this.named(error)
    }
  }

  /** Gives it its name, also in the place of another file or of a link. */
  publish(): void {
    try {
      renameSync(this.path, this.file)
    } catch (error) {
      throw this.named(error)
    }
  }

  discard(): void {
    rmSync(this.path, { force: true })
  }

  /** An error that speaks of the file by the name that its user knows. */
  private named(error: unknown): unknown {
    if (error instanceof Error) error.message = error.message.replaceAll(this.path, this.file)
    return error
  }
}

/** Writes a whole file at once. */
export function writeDraft(file: string, otherwise: string, write: (descriptor: number) => void): void {
  const draft = new Draft(file, otherwise)
  try {
    try {
      write(draft.descriptor)
    } finally {
      closeSync(draft.descriptor)
    }
    draft.publish()
  } catch (error) {
    draft.discard()
    throw error
  }
}
