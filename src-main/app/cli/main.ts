/** Importing this file runs the command; tests call run-cli.ts with their own surroundings. */
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { runsService } from './arguments.mjs'

// glibc reads allocator settings only at start, so a service re-executes itself (same pid, about 30 ms); otherwise it
// keeps 40 MB more after half an hour.
const LARGE_BYTES = 128 * 1024

const SETTINGS: Readonly<Record<string, string>> = {
  // Larger blocks are separate mappings, which return to the system when freed. The threshold grows by itself unless it
  // is set.
  MALLOC_MMAP_THRESHOLD_: String(LARGE_BYTES),
  MALLOC_TRIM_THRESHOLD_: String(LARGE_BYTES),
  MALLOC_ARENA_MAX: '2',
}

// Marks the second start, and lists the variables that were added.
const MARK = 'DRYDOCK_ALLOCATOR'
const COMPILED = 'NODE_COMPILE_CACHE'

/**
 * Restarts a service with allocator settings unless the user set some or they have no effect. Call before loading
 * anything else.
 */
function setAllocator({ env, argv, execPath, execArgv, platform }: NodeJS.Process): void {
  const added = env[MARK]
  if (added !== undefined) {
    for (const name of [MARK, ...added.split(' ')]) delete env[name]
    return
  }
  const isSet = Object.keys(env).some((name) => name.startsWith('MALLOC_') || name === 'GLIBC_TUNABLES')
  if (platform !== 'linux' || isSet || !runsService(argv.slice(2))) return
  const folder = getCompileCacheDir()
  // A variable, because this file is read before it could say where compiled code is; stripping its types takes 50 ms
  // and 13 MB.
  const compiled = folder === undefined || env[COMPILED] !== undefined ? {} : { [COMPILED]: dirname(folder) }
  const settings = { ...SETTINGS, ...compiled }
  const again = { ...env, ...settings, [MARK]: Object.keys(settings).join(' ') }
  process.execve?.(execPath, [execPath, ...execArgv, ...argv.slice(1)], again)
}

setAllocator(process)
const [{ runCli }, { processSurroundings }] = await Promise.all([import('./run-cli.ts'), import('./surroundings.ts')])
process.exitCode = await runCli(process.argv.slice(2), processSurroundings())
