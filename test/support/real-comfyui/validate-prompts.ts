import { join } from 'node:path'
import { askPython } from './ask-python.ts'

/**
 * Validates payloads by the source of a real ComfyUI, without running them.
 * @param payloads JSON
 * @returns for each what is wrong, as "node kind input"; empty where it would be queued
 */
export async function validatePrompts(
  { source, python }: { readonly source: string; readonly python: string },
  payloads: readonly string[],
): Promise<readonly (readonly string[])[]> {
  const program = join(import.meta.dirname, 'validate_prompts.py')
  // The server's own answer, in the form that the program gives it.
  return (await askPython([python, program, source], payloads)) as string[][]
}
