/**
 * Chromium in a network namespace, for tests that start and stop containers: when a network of the machine changes, a
 * browser outside cancels all requests.
 */
import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { type Browser, chromium } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { chromiumOptions } from './chromium.ts'
import { loopbackNetwork } from './loopback-network.ts'

// A socket belongs to the namespace that created it, so this process can accept connections in that of the browser.
const LISTEN = `
const server = require('node:net').createServer()
server.listen(Number(process.argv[1]), '127.0.0.1', () => process.send('listening', server, () => process.exit()))
`

/**
 * Starts a browser for one test. Without the rights to create a namespace, it is an ordinary Chromium.
 * @param address of the service, the only address that the browser reaches
 */
export async function launchCalmChromium(address: string): Promise<Browser> {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-calm-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const network = await loopbackNetwork(folder)
  const options = chromiumOptions()
  if ('why' in network) return closed(await chromium.launch(options))
  await forward(network.enter, Number(new URL(address).port))
  const executablePath = join(folder, 'chromium')
  writeFileSync(executablePath, `#!/bin/sh\nexec '${network.enter}' '${options.executablePath}' "$@"\n`)
  chmodSync(executablePath, 0o755)
  return closed(await chromium.launch({ ...options, executablePath }))
}

function closed(browser: Browser): Browser {
  onTestFinished(() => browser.close())
  return browser
}

/** Forwards a port of the namespace to the same port of this machine. */
async function forward(enter: string, port: number): Promise<void> {
  const listener = spawn(enter, [process.execPath, '-e', LISTEN, String(port)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const server = await new Promise<Server>((resolve, reject) => {
    listener.once('message', (_said, handle) => resolve(handle as Server))
    listener.once('exit', (code) => reject(new Error(`nothing listens in the namespace: exit code ${code}`)))
  })
  server.on('connection', (inside) => {
    const outside = connect(port, '127.0.0.1')
    pipeline(inside, outside, inside, () => {})
  })
  onTestFinished(() => void server.close())
}
