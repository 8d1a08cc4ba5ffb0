import { defineConfig, type EnvironmentOptions } from 'vite'

const source = (path: string) => `${import.meta.dirname}/src-main/${path}`

/** Libraries with programs of their own, which cannot be put into one file; a package holds their folders. */
export const NOT_BUNDLED = ['better-sqlite3', 'dockerode']

/** Code for Node, in one piece with its libraries. */
function forNode(input: Readonly<Record<string, string>>, format: 'es' | 'cjs'): EnvironmentOptions {
  const ending = format === 'es' ? 'js' : 'cjs'
  const isModule = format === 'es'
  return {
    consumer: 'server',
    resolve: { noExternal: true, external: [...NOT_BUNDLED, 'electron'] },
    // Libraries that are no modules ask where they are.
    define: isModule ? { __dirname: 'import.meta.dirname', __filename: 'import.meta.filename' } : {},
    build: {
      ssr: true,
      outDir: process.env.DRYDOCK_BUILD_TO ?? 'out/desktop',
      emptyOutDir: false,
      target: 'node24',
      minify: false,
      rolldownOptions: {
        input,
        output: { format, entryFileNames: `[name].${ending}`, chunkFileNames: `[name]-[hash].${ending}` },
      },
    },
  }
}

/**
 * How the program and the desktop window are built; the modes are the parts of src-main/cli/build.mjs. What Electron runs
 * has to be JavaScript, since its Node takes no types away, and a few files start in half the time of the sources. The
 * folders are flat and two levels below the root, so that `../../resources` in the sources means the same there. The
 * pages are built by src-renderer/vite.config.ts.
 */
export default defineConfig(({ mode }) => {
  const environments =
    mode === 'shell'
      ? {
          main: forNode({ main: source('electron/main.ts') }, 'es'),
          // A sandboxed preload can load nothing but Electron, and is no module.
          preload: forNode({ preload: source('electron/preload.ts') }, 'cjs'),
        }
      : {
          // A file of its own is what is started by its name: threads start themselves.
          program: forNode(
            {
              service: source('electron/service-process.ts'),
              cli: source('cli/main.ts'),
              'checkpoint-thread': source('storage/checkpoint-thread.ts'),
              'span-thread': source('outbound/span-thread.ts'),
              'answer-what-if': source('threads/answer-what-if.ts'),
              'compare-outputs': source('threads/compare-outputs.ts'),
            },
            'es',
          ),
        }
  return {
    environments,
    builder: {
      async buildApp({ build, environments: all }) {
        for (const [name, environment] of Object.entries(all)) if (name in environments) await build(environment)
      },
    },
  }
})
