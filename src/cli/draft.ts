import { randomBytes } from 'node:crypto'
import { closeSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { WrongUsage } from './command.js'

/** Mode 0600: exports and reports contain names of people. */
const MODE = 0o600

/**
 * A file under a random temporary name until it is complete. It is always created anew, so that no symbolic link in
 * its place is followed, and no partial file is taken for a complete one.
 */
export class Draft {
  readonly descriptor: number
  private readonly file: string
  private readonly path: string

  /** `otherwise` says what to do if the name is that of a device or a pipe, which a rename would replace. */
  constructor(file: string, otherwise: string) {
    if (statSync(file, { throwIfNoEntry: false })?.isFile() === false)
      throw new WrongUsage(`${file} is not a regular file. ${otherwise}`)
    this.file = file
    this.path = `${file}.${randomBytes(6).toString('hex')}.partial`
    try {
      this.descriptor = openSync(this.path, 'wx', MODE)
    } catch (error) {
      throw this.named(error)
    }
  }

  /** Renames it to its final name, replacing another file or a link there. */
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

  /** An error that names the file by the name that the user gave. */
  private named(error: unknown): unknown {
    if (error instanceof Error) error.message = error.message.replaceAll(this.path, this.file)
    return error
  }
}

/** Writes a whole file through a draft. */
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
