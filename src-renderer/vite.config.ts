import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const CONTRACT = /\/src-main\/contract\/[^/]+\.ts$/
const TEXT = /'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/.source
const DESCRIBED = new RegExp(`\\.describe\\(\\s*(?:${TEXT})\\s*,?\\s*\\)`, 'g')
const NOTED = new RegExp(`\\b(summary|source):\\s*(?:${TEXT})`, 'g')

/**
 * Leaves out of the pages what only documents need: descriptions in schemas, summaries and sources of routes and
 * limits.
 */
const withoutTextsOfDocuments: Plugin = {
  name: 'without-texts-of-documents',
  apply: 'build',
  enforce: 'pre',
  transform: (code, id) =>
    CONTRACT.test(id) ? { code: code.replace(DESCRIBED, '').replace(NOTED, "$1: ''"), map: null } : undefined,
}

export default defineConfig({
  root: import.meta.dirname,
  plugins: [withoutTextsOfDocuments, react(), tailwind()],
  build: {
    outDir: process.env.DRYDOCK_BUILD_TO ?? '../out/renderer',
    emptyOutDir: true,
    target: 'es2024',
    // Inlined files would be data addresses, which the policy of the pages allows only for images.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // Lists each section's initial files; a test limits their size.
    manifest: true,
    rolldownOptions: {
      output: {
        // Without it, the bundler makes one file per set of sections with shared code, and a page loads up to 96.
        codeSplitting: { groups: [{ name: 'shared', minShareCount: 4 }] },
      },
    },
  },
})
