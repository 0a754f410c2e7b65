import { randomBytes } from 'node:crypto'
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises'
import { WrongUsage } from './command.js'

/** Mode 0600: exports and reports contain names of people. */
const MODE = 0o600

// Written under a random name and renamed: no symbolic link is followed, and no partial file is taken for a complete one.
// A rename would replace a device or a pipe, so `otherwise` says what to do instead.
export async function writeOutput<T>(
  file: string,
  otherwise: string,
  write: (output: FileHandle) => Promise<T>,
): Promise<T> {
  const isOther = await stat(file).then(
    (found) => !found.isFile(),
    () => false,
  )
  if (isOther) throw new WrongUsage(`${file} is not a regular file. ${otherwise}`)
  const path = `${file}.${randomBytes(6).toString('hex')}.partial`
  try {
    const output = await open(path, 'wx', MODE)
    const result = await write(output).finally(() => output.close())
    await rename(path, file)
    return result
  } catch (error) {
    await rm(path, { force: true })
    // The message has the name that the user gave.
    if (error instanceof Error) error.message = error.message.replaceAll(path, file)
    throw error
  }
}
