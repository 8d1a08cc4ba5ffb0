import { execFile } from 'node:child_process'
import type { DoctorRow } from '../../../contract/system.ts'
import { type ProgramEnd, programFailure } from '../../../runtimes/rules/gpu-list.ts'

/** Never rejects: a missing or slow program is a result. */
export type RunProgram = (program: string, args: readonly string[], limitMs?: number) => Promise<ProgramEnd>

// ms. Source: ours, nvidia-smi takes seconds on a cold driver.
const PROGRAM_LIMIT_MS = 10_000

export const runToEnd: RunProgram = (program, args, limitMs = PROGRAM_LIMIT_MS) =>
  new Promise((resolve) => {
    execFile(program, [...args], { timeout: limitMs, killSignal: 'SIGKILL' }, (error, stdout, stderr) =>
      resolve({ stdout: stdout.trim(), stderr: stderr.trim(), failure: programFailure(error) }),
    )
  })

// Required release lines of Node and Python. Source: CONTRIBUTING.md#set-up.
const NODE_MAJOR = 24
const PYTHON_MINOR = 10

export function nodeRow(version: string): DoctorRow {
  if (Number.parseInt(version, 10) >= NODE_MAJOR) return { check: 'Node', state: 'ok', found: version }
  return {
    check: 'Node',
    state: 'failed',
    found: version,
    fix: `Start with \`npm start\`, which brings Node ${NODE_MAJOR}.`,
  }
}

type PythonSeen = { readonly version: string; readonly path: string }

export async function askPython(name: string, runProgram: RunProgram): Promise<PythonSeen | undefined> {
  const reported = await runProgram(name, ['-c', 'import sys; print(*sys.version_info[:3], sys.executable)'])
  const [, major, minor, patch, path] = /^(\d+) (\d+) (\d+) (.*)$/m.exec(reported.stdout) ?? []
  return path === undefined ? undefined : { version: `${major}.${minor}.${patch}`, path }
}

export async function pythonRow(name: string, runProgram: RunProgram): Promise<DoctorRow> {
  const check = 'Python'
  const fix = `Install Python 3.${PYTHON_MINOR} or later and put ${name} on the PATH.`
  const seen = await askPython(name, runProgram)
  if (seen === undefined) return { check, state: 'failed', found: `${name} is not there`, fix }
  const found = `${seen.version} at ${seen.path}`
  const [major, minor] = seen.version.split('.').map(Number)
  return major === 3 && Number(minor) >= PYTHON_MINOR
    ? { check, state: 'ok', found }
    : { check, state: 'failed', found, fix }
}
