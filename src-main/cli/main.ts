/**
 * The entry of the command line; importing it runs the command. The launcher drydock.mjs and the npm scripts do so.
 * The program itself is built in run-cli.ts, which tests call with surroundings of their own.
 */
import { setAllocator } from './allocator.ts'

setAllocator(process)
const [{ runCli }, { processSurroundings }] = await Promise.all([import('./run-cli.ts'), import('./surroundings.ts')])
process.exitCode = await runCli(process.argv.slice(2), processSurroundings())
