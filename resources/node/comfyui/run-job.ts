import { BridgeFailure } from './failure.ts'
import { readInput } from './prompt/read-input.ts'
import { type RunOptions, runPrompt } from './run-prompt.ts'

/**
 * Runs a job.
 * @param inputText JSON of its input, with its numbers as they came
 * @returns its output; `error` in it makes the job a failed one
 * @throws the reason of the signal
 */
export async function runJob(inputText: string, options: RunOptions): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await runPrompt(readInput(inputText), options)
  } catch (error) {
    if (error instanceof BridgeFailure) return answerOf(error)
    throw error
  }
}

// A fault at a node is an object, so that pages show it at its place; else the sentence alone, as the public worker has it.
function answerOf({ message, facts }: BridgeFailure): Readonly<Record<string, unknown>> {
  if (facts.node !== undefined) return { error: { message, ...facts } }
  return { error: message, ...(facts.details === undefined ? {} : { details: facts.details }) }
}
