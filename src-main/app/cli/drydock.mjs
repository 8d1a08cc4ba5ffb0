#!/usr/bin/env node
/** Launcher for any Node, without PATH or dependencies; runs services in a child that restarts after crashes. */
import module from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { withAllocator } from './allocator.mjs'
import { runsService } from './arguments.mjs'
import { IS_CLONE, mayNeedSetUp, NODE, NODE_MAJOR, setUp } from './set-up.mjs'
import { ROOT } from './steps.mjs'

const LAUNCHER = fileURLToPath(import.meta.url)
// With the compile cache, a service starts twice as fast and uses 30 MB less memory.
const COMPILED = `${ROOT}/node_modules/.drydock/compiled`

// Hints show the command as typed; npm's own script links are never typed.
process.env.DRYDOCK_CALLED_BY ??= process.env.npm_lifecycle_event === undefined ? process.argv[1] : LAUNCHER

if (IS_CLONE && mayNeedSetUp()) {
  const code = await setUp()
  if (code !== 0) process.exit(code)
}

const RUNS_SERVICE = runsService(process.argv.slice(2))
// DRYDOCK_RESTART=0 leaves restarts to another supervisor, such as systemd or Docker.
const IS_SERVICE = RUNS_SERVICE && process.env.DRYDOCK_RESTART !== '0'
const IS_CHILD = process.env.DRYDOCK_LAUNCHER_PID === String(process.ppid)
// ms before restarts after crashes. A service that runs for a minute resets the count.
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

/** Windows has no signals, but the code of an abort or exception. */
function hasCrashed(code, signal) {
  if (process.platform !== 'win32') return signal !== null
  return code === 134 || code >= 0xc0000000
}

async function commandLine() {
  if (!IS_CLONE) return 'out/desktop/cli.js'
  const { isBuilt, PROGRAM } = await import('./build.mjs')
  return isBuilt(PROGRAM) ? 'out/desktop/cli.js' : 'src-main/app/cli/main.ts'
}

async function handOver() {
  const { spawn } = await import('node:child_process')
  const { constants } = await import('node:os')
  const { isatty } = await import('node:tty')
  // A terminal signals the whole process group, so forwarding would deliver twice. `process.stdin.isTTY` would make
  // stdin non-blocking for the child; `isatty` does not.
  const hasTerminal = isatty(0) || isatty(1) || isatty(2)
  let child
  let restart
  let isStopping = false
  let crashes = 0
  const forward = (signal) => {
    isStopping = true
    if (restart === undefined) {
      if (signal === 'SIGTERM' || !hasTerminal) child.kill(signal)
    } else {
      clearTimeout(restart)
      end(null, signal)
    }
  }
  const handlers = Object.fromEntries(['SIGINT', 'SIGHUP', 'SIGTERM'].map((name) => [name, () => forward(name)]))
  // Registered before the spawn, because a signal in between would end only the launcher.
  for (const [signal, handler] of Object.entries(handlers)) process.on(signal, handler)

  function start() {
    restart = undefined
    const startedAt = performance.now()
    child = spawn(NODE, [LAUNCHER, ...process.argv.slice(2)], {
      stdio: 'inherit',
      // Lets a long-running command detect that the launcher was killed.
      env: { ...((RUNS_SERVICE && withAllocator(process)) || process.env), DRYDOCK_LAUNCHER_PID: String(process.pid) },
    })
    delete process.env.DRYDOCK_BEGUN_AT
    child.once('error', (error) => {
      const fix = IS_CLONE
        ? `Delete ${ROOT}/resources/pinned-node/node_modules and start again`
        : `Install Node ${NODE_MAJOR} or newer, or install Drydock again without --omit=optional`
      process.stderr.write(`Drydock could not start ${NODE} (${error.code}). ${fix}.\n`)
      process.exitCode = 1
    })
    child.once('exit', (code, signal) => {
      // A service that cannot start exits with a code and is not restarted.
      if (!hasCrashed(code, signal) || signal in handlers || !IS_SERVICE || isStopping) return end(code, signal)
      crashes = performance.now() - startedAt > STEADY_MS ? 1 : crashes + 1
      const ms = RESTART_MS[crashes - 1]
      if (ms === undefined) return end(code, signal)
      process.stderr.write(`The service was terminated by ${signal}. Restarting in ${ms / 1000} s.\n`)
      restart = setTimeout(start, ms)
    })
  }

  function end(code, signal) {
    for (const [name, handler] of Object.entries(handlers)) process.off(name, handler)
    if (signal === null) {
      process.exitCode = code ?? 1
      return
    }
    // Exits by the same signal, so that the caller sees the cause; if Node ignores it, the exit code reports it.
    process.exitCode = 128 + constants.signals[signal]
    process.kill(process.pid, signal)
  }

  start()
}
