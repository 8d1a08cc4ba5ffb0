import { asText, isRecord, plainJson, present } from '../../../lib/json/plain.ts'
import { keepEnds } from '../../../lib/text.ts'
import { lostWorkerText } from './lost-worker.ts'
import { errorFields, type NodeError, nodeErrorLine, readNodeError } from './node-error.ts'

export type JobError = {
  readonly message: string
  readonly node?: NodeError
  readonly type?: string
  readonly traceback?: string
}

/**
 * Reads SDK JSON with message, type and traceback, a plain traceback, or any other message. Source:
 * docs/spec/worker-protocol.md, 3.
 */
export function readJobError(error: string): JobError {
  const { type, ...read } = readWritten(error)
  const node = readNodeError(read.message)
  if (node === undefined) return type === undefined ? read : { ...read, type }
  const { traceback = read.traceback } = node
  return { message: nodeErrorLine(node), node, ...(traceback === undefined ? {} : { traceback }) }
}

function readWritten(error: string): JobError {
  if (error.startsWith(PLAIN_TRACEBACK)) return readPlainTraceback(error)
  const fields = errorFields(error)
  const message = asText(fields?.error_message)
  if (message === undefined) return { message: error }
  const type = /^(?:<class ')?(?:.*\.)?(\w+)(?:'>)?$/.exec(asText(fields?.error_type) ?? '')?.[1]
  const traceback = asText(fields?.error_traceback)
  return { message, ...present({ type, traceback }) }
}

/** As at the end of a Python traceback: `ValueError: no face`. The message may have several lines. */
export function errorHeadline({ type, message }: JobError): string {
  if (type === undefined) return message
  return message === '' ? type : `${type}: ${message}`
}

const unlessLost = (read: (error: string) => string) => (error: string) => lostWorkerText(error) ?? read(error)

export const errorLine = unlessLost((error) => {
  const read = readJobError(error)
  const isUnread = read.message === error
  const message = messageIn(read.message) ?? read.message
  const type = isUnread ? TYPE.exec(error)?.[1] : read.type
  const raised = lastRaised(message)
  if (raised !== undefined) return errorHeadline({ ...raised, message: firstLine(raised.message) })
  return errorHeadline({ message: firstLine(message), ...(type === undefined ? {} : { type }) })
})

const firstLine = (text: string) =>
  text
    .split('\n')
    .find((line) => line.trim() !== '')
    ?.trim() ?? ''

/** The error at the end of a traceback within a message, whose line ends may be escaped. */
function lastRaised(message: string): JobError | undefined {
  const at = message.lastIndexOf(PLAIN_TRACEBACK)
  if (at < 0) return undefined
  const text = message.slice(at)
  const isEscaped = text.startsWith(`${PLAIN_TRACEBACK}\\n`)
  const read = readPlainTraceback(isEscaped ? unescaped(text) : text)
  return read.traceback === undefined ? undefined : read
}

function unescaped(text: string): string {
  const lines = text.replaceAll(String.raw`\n`, '\n').replaceAll(String.raw`\"`, '"')
  return lines.replace(/["'})\]\s]+$/, '')
}

export const errorText = unlessLost((error) => {
  const read = readJobError(error)
  return `${errorHeadline(read)}\n${read.traceback ?? ''}`.trimEnd()
})

/** Shortens an error: first the traceback, then the message's middle, so it stays JSON for `errorLine`. */
export function shortError(error: string, length: number): string {
  if (error.length <= length) return error
  const { message, type } = readJobError(error)
  if (message === error) return keepEnds(error, length)
  const written = (text: string) =>
    JSON.stringify({ ...(type === undefined ? {} : { error_type: type }), error_message: text })
  let most = length
  while (written(keepEnds(message, most)).length > length && most > 0)
    most = Math.max(0, most - (written(keepEnds(message, most)).length - length))
  return written(keepEnds(message, most))
}

const PLAIN_TRACEBACK = 'Traceback (most recent call last):'

// The end is the first unindented line after the last frame; messages may continue below it.
function readPlainTraceback(error: string): JobError {
  const lines = error.trimEnd().split('\n')
  const lastFrame = lines.findLastIndex((line) => line.startsWith('  File "'))
  const end = lines.findIndex((line, at) => at > Math.max(0, lastFrame) && /^\S/.test(line))
  const [, type, message = ''] = /^(?:\w+\.)*(\w+)(?:: (.*))?$/s.exec(lines.slice(end).join('\n')) ?? []
  return end < 0 || type === undefined ? { message: error } : { type, message, traceback: error }
}

// Like `"<class 'KeyError'>"`; a KeyError is unreadable without its type.
const TYPE = /"error_type":\s*"(?:<class ')?(?:[^"]*\.)?(\w+)(?:'>)?"/

// JSON of worker SDKs and graph workers; its end may be cut.
const MESSAGE = /(?:^\{\s*"message"|"error_message"):\s*"((?:[^"\\]|\\.)*)/

// Of errors that are JSON objects of other programs, best first. Source: ours.
const MESSAGE_FIELDS = ['message', 'error', 'detail', 'msg'] as const

function messageOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (!isRecord(value)) return undefined
  return MESSAGE_FIELDS.map((name) => messageOf(value[name])).find((one) => one !== undefined)
}

function messageIn(text: string): string | undefined {
  const known = messageOf(errorFields(text))
  if (known !== undefined) return known
  const written = MESSAGE.exec(text)?.[1]?.replace(/\\u[0-9a-fA-F]{0,3}$/, '')
  return written === undefined ? undefined : (asText(plainJson(`"${written}"`)) ?? written)
}
