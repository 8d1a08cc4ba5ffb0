/** Replaces Electron's default app: loads the modules after -r, then the file named on the command line. */
import Module from 'node:module'
import { resolve } from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'

const args = process.argv.slice(1)
const preloaded = []
let index = 0
for (; index < args.length; index++) {
  if (args[index] === '-r') preloaded.push(args[++index])
  else if (!args[index].startsWith('-')) break
}
const file = resolve(args[index])
Module._preloadModules(preloaded)
process.argv = [process.argv[0], file, ...args.slice(index + 1)]
await import(pathToFileURL(file).href)
