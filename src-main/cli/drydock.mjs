#!/usr/bin/env node
/**
 * The command `drydock`: starts on any Node from any folder, and runs the command line. An installed package, and a
 * clone whose build is up to date, run the built command line; other clones run main.ts.
 *
 * A Node that is new enough runs a command in this process. An older one starts the launcher again on the pinned Node
 * and stands in for it: same terminal, same signals, same exit code. A service always runs in such a child, which is
 * started again if it crashes. The launcher needs no PATH and no dependencies.
 */
import module from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { IS_CLONE, mayNeedSetUp, NODE, NODE_MAJOR, setUp } from './set-up.mjs'
import { ROOT } from './steps.mjs'

const LAUNCHER = fileURLToPath(import.meta.url)
// Compiled code, types stripped: from the second start on, a service is up in half the time and 30 MB smaller.
const COMPILED = `${ROOT}/node_modules/.drydock/compiled`

// For hints, which are written as the caller calls this.
process.env.DRYDOCK_CALLED_BY ??= process.argv[1]

if (IS_CLONE && mayNeedSetUp()) {
  const code = await setUp()
  if (code !== 0) process.exit(code)
}

// Where another supervisor restarts the service, as systemd and Docker do, DRYDOCK_RESTART=0 leaves it to that.
const IS_SERVICE = ['serve', 'start'].includes(process.argv[2]) && process.env.DRYDOCK_RESTART !== '0'
const IS_CHILD = process.env.DRYDOCK_LAUNCHER_PID === String(process.ppid)
// How long a service that crashed stays down, in ms: longer each time, until it has run for a minute.
const RESTART_MS = [500, 1000, 2000, 4000, 8000]
const STEADY_MS = 60_000

if (IS_CHILD || (NODE === process.execPath && !IS_SERVICE)) {
  const main = `${ROOT}/${await commandLine()}`
  process.argv[1] = main
  module.enableCompileCache?.(COMPILED)
  await import(pathToFileURL(main).href)
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
  let child
  let restart
  let isStopping = false
  let crashes = 0
  const passOn = (signal) => {
    isStopping = true
    if (restart === undefined) {
      if (signal === 'SIGTERM' || !hasTerminal) child.kill(signal)
    } else {
      clearTimeout(restart)
      end(null, signal)
    }
  }
  const handlers = Object.fromEntries(['SIGINT', 'SIGHUP', 'SIGTERM'].map((name) => [name, () => passOn(name)]))
  // Registered before the spawn: a signal in between would end only the launcher.
  for (const [signal, handler] of Object.entries(handlers)) process.on(signal, handler)

  function start() {
    restart = undefined
    const startedAt = performance.now()
    child = spawn(NODE, [LAUNCHER, ...process.argv.slice(2)], {
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
      // A service that gives up, as on a port that is taken, ends with a code.
      if (signal === null || signal in handlers || !IS_SERVICE || isStopping) return end(code, signal)
      crashes = performance.now() - startedAt > STEADY_MS ? 1 : crashes + 1
      const ms = RESTART_MS[crashes - 1]
      if (ms === undefined) return end(code, signal)
      process.stderr.write(`The service was ended by ${signal}. It starts again in ${ms / 1000} s.\n`)
      restart = setTimeout(start, ms)
    })
  }

  function end(code, signal) {
    for (const [name, handler] of Object.entries(handlers)) process.off(name, handler)
    if (signal === null) {
      process.exitCode = code ?? 1
      return
    }
    // Die the same way, so that the caller sees the same cause of death. A signal that this Node ignores leaves it
    // alive: then the exit code says it, as a shell would.
    process.exitCode = 128 + constants.signals[signal]
    process.kill(process.pid, signal)
  }

  start()
}
