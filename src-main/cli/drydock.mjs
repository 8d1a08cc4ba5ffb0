#!/usr/bin/env node
/**
 * The command `drydock`: starts on any Node from any folder, and runs the command line. An installed package, and a
 * clone whose build is up to date, run the built command line; other clones run main.ts.
 *
 * A Node that is new enough runs it in this process. An older one starts the pinned Node and stands in for it: same
 * terminal, same signals, same exit code. The launcher needs no PATH and no dependencies.
 */
import module from 'node:module'
import { pathToFileURL } from 'node:url'
import { IS_CLONE, mayNeedSetUp, NODE, NODE_MAJOR, setUp } from './set-up.mjs'
import { ROOT } from './steps.mjs'

// Compiled code, types stripped: from the second start on, a service is up in half the time and 30 MB smaller.
const COMPILED = `${ROOT}/node_modules/.drydock/compiled`

// For hints, which are written as the caller calls this.
process.env.DRYDOCK_CALLED_BY ??= process.argv[1]

if (IS_CLONE && mayNeedSetUp()) {
  const code = await setUp()
  if (code !== 0) process.exit(code)
}

const MAIN = `${ROOT}/${await commandLine()}`

if (NODE === process.execPath) {
  process.argv[1] = MAIN
  module.enableCompileCache?.(COMPILED)
  await import(pathToFileURL(MAIN).href)
} else {
  await handOver()
}

async function commandLine() {
  if (!IS_CLONE) return 'out/desktop/cli.js'
  const { isBuilt, PROGRAM } = await import('./build.mjs')
  // Changed sources run at once, without a build.
  return isBuilt(PROGRAM) ? 'out/desktop/cli.js' : 'src-main/cli/main.ts'
}

async function handOver() {
  const { spawn } = await import('node:child_process')
  const { constants } = await import('node:os')
  const { isatty } = await import('node:tty')
  // Ctrl+C and the closing of a terminal reach every process of the group, so the child has the signal already; a
  // second one would ask it to hurry. Without a terminal only this process gets the signal, and must pass it on.
  // `isatty` and not `process.stdin.isTTY`: that would open stdin here and turn it non-blocking for the child.
  const hasTerminal = isatty(0) || isatty(1) || isatty(2)
  const handlers = {
    SIGINT: () => hasTerminal || child.kill('SIGINT'),
    SIGHUP: () => hasTerminal || child.kill('SIGHUP'),
    SIGTERM: () => child.kill('SIGTERM'),
  }
  // Registered before the spawn: a signal in between would end only the launcher.
  for (const [signal, handler] of Object.entries(handlers)) process.on(signal, handler)
  const child = spawn(NODE, [MAIN, ...process.argv.slice(2)], {
    stdio: 'inherit',
    // Lets a long-running command notice that the launcher was killed.
    env: { ...process.env, DRYDOCK_LAUNCHER_PID: String(process.pid) },
  })

  child.once('error', (error) => {
    const fix = IS_CLONE
      ? `Delete ${ROOT}/resources/pinned-node/node_modules and start again`
      : `Install Node ${NODE_MAJOR} or newer, or install Drydock again without --omit=optional`
    process.stderr.write(`Drydock could not start ${NODE} (${error.code}). ${fix}.\n`)
    process.exitCode = 1
  })
  child.once('exit', (code, signal) => {
    for (const [name, handler] of Object.entries(handlers)) process.off(name, handler)
    if (signal === null) {
      process.exitCode = code ?? 1
      return
    }
    // Die the same way, so that the caller sees the same cause of death. A signal that this Node ignores leaves it
    // alive: then the exit code says it, as a shell would.
    process.exitCode = 128 + constants.signals[signal]
    process.kill(process.pid, signal)
  })
}
