import { spawn } from 'node:child_process'

/**
 * Gives lines to a program of Python, and reads a line of JSON for each.
 * @param command the interpreter, the program, and its arguments
 * @returns what it said, in order
 */
export async function askPython(
  [python, ...argv]: readonly [string, ...string[]],
  lines: readonly string[],
): Promise<readonly unknown[]> {
  const child = spawn(python, argv, { stdio: ['pipe', 'pipe', 'pipe'] })
  let said = ''
  child.stderr.on('data', (part) => {
    said += part
  })
  child.stdin.end(lines.map((line) => `${line}\n`).join(''))
  let out = ''
  for await (const part of child.stdout.setEncoding('utf8')) out += part
  const answers = out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
  if (answers.length !== lines.length) throw new Error(`${argv[0]} ended early:\n${said.slice(-2000)}`)
  return answers
}
