/**
 * Runs a main process with what stands for Electron: `node use-fake-electron.mjs main.js ...`. As with Electron, the
 * application is ready when its module has been read to its end, and not before.
 */
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import { app } from './fake-electron.mjs'

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron'
      ? { url: new URL('fake-electron.mjs', import.meta.url).href, shortCircuit: true }
      : next(specifier, context),
})

process.argv.splice(1, 1)
await import(pathToFileURL(process.argv[1]).href)
app.ready.resolve()
