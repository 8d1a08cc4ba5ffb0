import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** How the web pages are built; the desktop takes the same options from here (electron.vite.config.ts). */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwind()],
  build: {
    outDir: '../out/renderer',
    emptyOutDir: true,
    target: 'es2024',
    // Inlined files would be data addresses, which the policy of the pages allows for images alone.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
})
