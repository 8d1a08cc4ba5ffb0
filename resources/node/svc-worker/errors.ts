import { inspect } from 'node:util'
import { RUNTIME_VERSION, type Settings } from './settings.ts'

const RUNTIME = new URL('.', import.meta.url).href

export function trimmedStack(error: unknown): string {
  if (!(error instanceof Error)) return `${nameOf(error)}: ${messageOf(error)}`
  const stack = typeof error.stack === 'string' ? error.stack : `${error.name}: ${error.message}`
  const told = stack
    .split('\n')
    .filter((line) => !isForeignFrame(line))
    .join('\n')
  return error.cause === undefined ? told : `${told}\nCaused by: ${trimmedStack(error.cause)}`
}

/** Returns the JSON text for a failed job's `error`, with the public SDK's members. */
export function failureText(error: unknown, settings: Settings): string {
  return JSON.stringify({
    error_type: nameOf(error),
    error_message: messageOf(error),
    error_traceback: trimmedStack(error),
    hostname: settings.hostname,
    worker_id: settings.workerId,
    runpod_version: RUNTIME_VERSION,
  })
}

export function messageOf(error: unknown): string {
  try {
    if (error instanceof Error) return String(error.message)
    return typeof error === 'string' ? error : inspect(error)
  } catch {
    return 'an error whose text cannot be shown'
  }
}

function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return 'Thrown value'
  return typeof error.name === 'string' && error.name !== '' ? error.name : 'Error'
}

function isForeignFrame(line: string): boolean {
  return (
    /^\s+at .*(?:\(| )node:/.test(line) || /^\s+at node:/.test(line) || (/^\s+at /.test(line) && line.includes(RUNTIME))
  )
}
