import { readJobError } from './read-error.ts'

// A KeyError of the SDK itself: a failed job has no output to write into.
const DEBUGGER_PROBLEM = "'output'"
const DEBUGGER = 'the worker runs with --rp_debugger, which can send only a dict and no error: remove --rp_debugger'

/**
 * @param exception JSON of the exception that the worker printed before
 * @param debugs true if the endpoint's command has --rp_debugger
 */
export function unsentError(problem: string, exception: string | undefined, debugs: boolean): string {
  if (!debugs && problem !== DEBUGGER_PROBLEM)
    return `The result of the handler could not be sent: ${problem}. Return only dict, list, str, int, float, bool and None; turn bytes into base64 text, a set into a list, and a date into text.`
  if (exception === undefined) return `The result of the handler could not be sent (${problem}), because ${DEBUGGER}.`
  const { message, type, traceback } = readJobError(exception)
  return JSON.stringify({
    error_type: type,
    error_message: `${message} (${DEBUGGER})`,
    error_traceback: traceback,
  })
}
