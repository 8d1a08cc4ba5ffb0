/** Why a job failed, as its worker tells it. */
export type JobError = {
  readonly message: string
  /** Like `ValueError`. */
  readonly type?: string
  readonly traceback?: string
}

/**
 * Reads the error of a job. Worker SDKs write JSON with message, type and traceback into it; whatever else it is, is the
 * message. Source: worker-protocol, Results.
 */
export function readJobError(error: string): JobError {
  const fields = fieldsOf(error)
  const message = textOf(fields?.error_message)
  if (message === undefined) return { message: error }
  const type = /^(?:<class ')?(?:.*\.)?(\w+)(?:'>)?$/.exec(textOf(fields?.error_type) ?? '')?.[1]
  const traceback = textOf(fields?.error_traceback)
  return { message, ...(type === undefined ? {} : { type }), ...(traceback === undefined ? {} : { traceback }) }
}

// As worker SDKs write it, like `"<class 'KeyError'>"`. A KeyError says nothing but a key, so it is unreadable without it.
const TYPE = /"error_type":\s*"(?:<class ')?(?:[^"]*\.)?(\w+)(?:'>)?"/

// What worker SDKs write, and workers of graphs, which begin with the message and go on with the place.
const MESSAGE = /(?:^\{\s*"message"|"error_message"):\s*"((?:[^"\\]|\\.)*)"/

/**
 * The line of an error that says most: of what workers write as JSON the type and message, of a traceback its end. It may
 * have been cut in its middle, as in lists of jobs.
 */
export function errorLine(error: string): string {
  const message = MESSAGE.exec(error)?.[1]?.replace(/\\n/g, '\n').replace(/\\"/g, '"')
  const lines = (message ?? error).split('\n').filter((line) => line.trim() !== '')
  const isTraceback = lines[0]?.startsWith('Traceback') === true
  const line = ((isTraceback ? lines.at(-1) : lines[0]) ?? '').trim()
  const type = message === undefined ? undefined : TYPE.exec(error)?.[1]
  return type === undefined || isTraceback ? line : `${type}: ${line}`
}

/** A whole error as a person reads it: its type and message, then its traceback. */
export function errorText(error: string): string {
  const { message, type, traceback = '' } = readJobError(error)
  const head = type === undefined ? message : `${type}: ${message}`
  return traceback === '' ? head : `${head}\n${traceback.trimEnd()}`
}

type Fields = Readonly<Record<'error_message' | 'error_type' | 'error_traceback', unknown>>

function fieldsOf(error: string): Fields | undefined {
  if (!error.startsWith('{')) return undefined
  try {
    return JSON.parse(error) as Fields
  } catch {
    return undefined
  }
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)
