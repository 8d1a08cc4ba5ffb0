import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const CONTRACT = /\/src-main\/contract\/[^/]+\.ts$/
const TEXT = /'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/.source
const DESCRIBED = new RegExp(`\\.describe\\(\\s*(?:${TEXT})\\s*,?\\s*\\)`, 'g')
const NOTED = new RegExp(`\\b(summary|source):\\s*(?:${TEXT})`, 'g')

/**
 * Leaves out of the pages what only documents are made of: the descriptions in schemas, and the summary and source of
 * routes and limits. No page reads them, and each first page would load them.
 */
const withoutTextsOfDocuments: Plugin = {
  name: 'without-texts-of-documents',
  apply: 'build',
  enforce: 'pre',
  transform: (code, id) =>
    CONTRACT.test(id) ? { code: code.replace(DESCRIBED, '').replace(NOTED, "$1: ''"), map: null } : undefined,
}

/** Builds the web pages. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [withoutTextsOfDocuments, react(), tailwind()],
  build: {
    outDir: process.env.DRYDOCK_BUILD_TO ?? '../out/renderer',
    emptyOutDir: true,
    target: 'es2024',
    // Inlined files would be data addresses, which the policy of the pages allows for images alone.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // Lists the files that each section loads first; a test limits their size.
    manifest: true,
    rolldownOptions: {
      output: {
        // Without it, the bundler makes one file for each set of sections with shared code, and a page loads up to 96.
        codeSplitting: { groups: [{ name: 'shared', minShareCount: 4 }] },
      },
    },
  },
})
