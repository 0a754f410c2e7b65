import { Fault } from '../errors.js'
import { LIMITS } from '../limits.js'

/** The JSON of a request's body, or a Fault that says what is wrong with it. */
export async function readJson(request: Request): Promise<unknown> {
  requireJsonType(request.headers)
  const bytes = await readBytes(request)
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (cause) {
    throw new Fault('BAD_REQUEST', 'The body is not valid JSON in UTF-8.', { cause })
  }
}

// Exactly JSON: forms and plain text are what a foreign page can make a browser send.
function requireJsonType(headers: Headers): void {
  const type = headers.get('content-type') ?? ''
  const [essence = '', ...parameters] = type.split(';').map((part) => part.trim().toLowerCase())
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset)
  if (essence !== 'application/json' || !isUtf8) {
    throw new Fault('UNSUPPORTED_MEDIA_TYPE', 'Send the body as `Content-Type: application/json`, in UTF-8.')
  }
  if (headers.get('content-encoding')) {
    throw new Fault('UNSUPPORTED_MEDIA_TYPE', 'Send the body uncompressed, without Content-Encoding.')
  }
}

async function readBytes(request: Request): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length')) > LIMITS.bodyBytesMax) throw tooLarge()
  const chunks: Uint8Array[] = []
  let size = 0
  // Not `for await`, whose end would tear the connection down before the refusal is out.
  const reader = request.body?.getReader()
  for (;;) {
    const chunk = await reader?.read().catch(brokenOff)
    if (!chunk || chunk.done) return Buffer.concat(chunks)
    size += chunk.value.byteLength
    if (size > LIMITS.bodyBytesMax) throw tooLarge()
    chunks.push(chunk.value)
  }
}

function brokenOff(cause: unknown): never {
  throw new Fault('BAD_REQUEST', 'The body broke off before its end.', { cause })
}

function tooLarge(): Fault {
  return new Fault(
    'PAYLOAD_TOO_LARGE',
    `The body is larger than ${LIMITS.bodyBytesMax} bytes. Send it in smaller parts.`,
  )
}
