/** Does as the application that Electron brings: loads the modules after -r, then the file that the arguments name. */
import Module from 'node:module'
import { resolve } from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'

const args = process.argv.slice(1)
const preloaded = []
let at = 0
for (; at < args.length; at++) {
  if (args[at] === '-r') preloaded.push(args[++at])
  else if (!args[at].startsWith('-')) break
}
const file = resolve(args[at])
Module._preloadModules(preloaded)
process.argv = [process.argv[0], file, ...args.slice(at + 1)]
await import(pathToFileURL(file).href)
