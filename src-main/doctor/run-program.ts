import { execFile } from 'node:child_process'
import { type ProgramEnd, programFailure } from '../domain/worker/gpu-list.ts'

/** Runs a program to its end. Never rejects: a program that is not there or takes longer than `limitMs` is an answer. */
export type RunProgram = (program: string, args: readonly string[], limitMs?: number) => Promise<ProgramEnd>

// How long a program may take to tell of itself, in ms; source: ours, nvidia-smi takes seconds on a cold driver.
const PROGRAM_LIMIT_MS = 10_000

/** The programs of this machine. */
export const runToEnd: RunProgram = (program, args, limitMs = PROGRAM_LIMIT_MS) =>
  new Promise((resolve) => {
    execFile(program, [...args], { timeout: limitMs, killSignal: 'SIGKILL' }, (error, stdout, stderr) =>
      resolve({ stdout: stdout.trim(), stderr: stderr.trim(), failure: programFailure(error) }),
    )
  })
