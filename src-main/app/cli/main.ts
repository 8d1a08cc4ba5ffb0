/** Importing this file runs the command; tests call run-cli.ts with their own surroundings. */
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { takeAllocator, withAllocator } from './allocator.mjs'
import { runsService } from './arguments.mjs'

const COMPILED = 'NODE_COMPILE_CACHE'

/**
 * Restarts a service with allocator settings (same pid, about 50 ms), unless its launcher has set them. Call before
 * loading anything else.
 */
function setAllocator({ env, argv, execPath, execArgv, platform }: NodeJS.Process): void {
  if (takeAllocator(env) || !runsService(argv.slice(2))) return
  const folder = getCompileCacheDir()
  // A variable, because this file is read before it could say where compiled code is.
  const compiled = folder === undefined || env[COMPILED] !== undefined ? {} : { [COMPILED]: dirname(folder) }
  const again = withAllocator({ env, platform }, compiled)
  if (again !== undefined) process.execve?.(execPath, [execPath, ...execArgv, ...argv.slice(1)], again)
}

setAllocator(process)
const [{ runCli }, { processSurroundings }] = await Promise.all([import('./run-cli.ts'), import('./surroundings.ts')])
process.exitCode = await runCli(process.argv.slice(2), processSurroundings())
