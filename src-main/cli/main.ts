/**
 * The entry of the command line; importing it runs the command, as the launcher drydock.mjs does.
 * The program itself is built in run-cli.ts, which tests call with surroundings of their own.
 */
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { runsService } from './arguments.mjs'

// Settings of the allocator of glibc for a process that lives long. It reads them once, before the first line of a
// program runs, so the process of a service starts itself anew with them: same process number, same terminal, some 30
// ms later.
//
// Without them a service that has worked for half an hour keeps 40 MB more: bodies of requests are taken from the same
// heap as what lives long, and lie there as holes that cannot be given back; and each thread has a heap of its own.
const LARGE_BYTES = 128 * 1024

const SETTINGS: Readonly<Record<string, string>> = {
  // What is larger is a mapping of its own, which goes back to the system when it is freed. Set, it stays so; by itself
  // it grows.
  MALLOC_MMAP_THRESHOLD_: String(LARGE_BYTES),
  MALLOC_TRIM_THRESHOLD_: String(LARGE_BYTES),
  MALLOC_ARENA_MAX: '2',
}

// Tells the second start from the first, and names the variables that this one has added.
const MARK = 'DRYDOCK_ALLOCATOR'
const COMPILED = 'NODE_COMPILE_CACHE'

/**
 * Starts a service anew with settings of the allocator, where they have an effect and the user has set none. Does
 * nothing for commands that are over soon. To be called before anything else is loaded.
 */
function setAllocator({ env, argv, execPath, execArgv, platform }: NodeJS.Process): void {
  const added = env[MARK]
  if (added !== undefined) {
    // Workers and what else the service starts have nothing to do with them.
    for (const name of [MARK, ...added.split(' ')]) delete env[name]
    return
  }
  const isSet = Object.keys(env).some((name) => name.startsWith('MALLOC_') || name === 'GLIBC_TUNABLES')
  if (platform !== 'linux' || isSet || !runsService(argv.slice(2))) return
  const folder = getCompileCacheDir()
  // As a variable, because this file is read before it could say where compiled code is; to read its types away takes
  // 50 ms and 13 MB.
  const compiled = folder === undefined || env[COMPILED] !== undefined ? {} : { [COMPILED]: dirname(folder) }
  const settings = { ...SETTINGS, ...compiled }
  const again = { ...env, ...settings, [MARK]: Object.keys(settings).join(' ') }
  process.execve?.(execPath, [execPath, ...execArgv, ...argv.slice(1)], again)
}

setAllocator(process)
const [{ runCli }, { processSurroundings }] = await Promise.all([import('./run-cli.ts'), import('./surroundings.ts')])
process.exitCode = await runCli(process.argv.slice(2), processSurroundings())
