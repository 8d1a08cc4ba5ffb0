import { defineConfig } from 'vite'

const source = (path: string) => `${import.meta.dirname}/${path}`

/** Libraries with native programs or files that they read, which cannot be bundled; packages contain their folders. */
export const NOT_BUNDLED = ['better-sqlite3', 'dockerode', 'protobufjs']

/** The output folder is flat and two levels below the root, so that `../../resources` resolves as in the sources. */
export default defineConfig({
  ssr: { noExternal: true, external: NOT_BUNDLED },
  // CommonJS libraries ask for their own path by these names.
  define: { __dirname: 'import.meta.dirname', __filename: 'import.meta.filename' },
  build: {
    ssr: true,
    outDir: process.env.DRYDOCK_BUILD_TO ?? `${import.meta.dirname}/../out/desktop`,
    emptyOutDir: true,
    target: 'node24',
    minify: false,
    rolldownOptions: {
      // Every file started by its path is an entry, since threads start themselves.
      input: {
        cli: source('app/cli/main.ts'),
        'checkpoint-thread': source('database/checkpoint-thread.ts'),
        'span-thread': source('features/monitoring/adapters/span-thread.ts'),
        'answer-what-if': source('features/what-if/adapters/answer-what-if.ts'),
        'compare-outputs': source('features/comparisons/adapters/compare-outputs.ts'),
        'unpack-in-thread': source('features/apps/adapters/unpack-in-thread.ts'),
        'read-in-thread': source('app/read-in-thread.ts'),
      },
      output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
    },
  },
})
