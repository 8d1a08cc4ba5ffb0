import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { build } from 'vite'

const PAGE = join(import.meta.dirname, '..', '..', 'renderer', 'editor-bench')
const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' }

/** A page with the canvas of the editor alone, or with a bare React Flow. */
export type EditorPage = { readonly url: string; readonly stop: () => Promise<void> }

/** Builds the page and serves it. @param folder takes what is built */
export async function startEditorPage(folder: string): Promise<EditorPage> {
  const out = join(folder, 'editor-page')
  await build({
    configFile: false,
    root: PAGE,
    logLevel: 'error',
    plugins: [react(), tailwind()],
    build: {
      outDir: out,
      emptyOutDir: true,
      target: 'es2024',
      reportCompressedSize: false,
      chunkSizeWarningLimit: 5000,
    },
  })
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname
    try {
      const body = readFileSync(join(out, path === '/' ? 'index.html' : path))
      response.setHeader('content-type', TYPES[extname(path === '/' ? '.html' : path)] ?? 'text/html').end(body)
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
