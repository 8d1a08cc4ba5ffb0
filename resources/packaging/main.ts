/**
 * `npm run package` builds this system's packages in dist/. `DRYDOCK_UPDATE_FEED` is the update feed; without it they
 * never look.
 */
import { rmSync } from 'node:fs'
import { build, CORE_FOLDER, configuration } from './configuration.ts'

try {
  const files = await build({ config: configuration(process.env.DRYDOCK_UPDATE_FEED || undefined), publish: 'never' })
  for (const file of files) process.stdout.write(`${file}\n`)
} catch (error) {
  process.stderr.write(`${whatIsMissing(error)}\n`)
  process.exitCode = 1
} finally {
  rmSync(CORE_FOLDER, { recursive: true, force: true })
}

function whatIsMissing(error: unknown): string {
  const why = (error instanceof Error ? error.message : String(error)).trim().split('\n', 1)[0]
  return /ENOTFOUND|ECONN|EAI_AGAIN|ETIMEDOUT|getaddrinfo|status code|HTTP|download|fetch/i.test(why ?? '')
    ? `No package was made, as Electron's program could not be fetched (${why}). Run \`npm run package\` on a machine with a network.`
    : `No package was made: ${why}`
}
