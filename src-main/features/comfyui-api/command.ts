import { join } from 'node:path'
import type { CliCommand } from '../../app/cli/cli-command.ts'
import { CliError, usageError } from '../../app/cli/cli-error.ts'
import { dataFolder } from '../../app/cli/find-service.ts'
import { openBrowser } from '../../app/cli/open-pages.ts'
import type { Surroundings } from '../../app/cli/surroundings.ts'
import { userOfConnection } from '../../http/server/connection-user.ts'
import { listen } from '../../http/server/listen.ts'
import { whyNoWorkflows } from '../workflows/rules/runs/takes-workflows.ts'
import { serverHasPage } from './adapters/endpoint-request.ts'
import { hasIndex, installPage } from './adapters/page-package.ts'
import { createPage } from './adapters/serve-page.ts'

export function addComfy(comfy: CliCommand, surroundings: Surroundings): void {
  comfy
    .command('open')
    .description("open ComfyUI's own page on an endpoint, and serve it until Ctrl+C")
    .argument('<endpoint>', 'id of an endpoint that takes workflows')
    .option('--page <folder>', "folder with the page's files")
    .option('--print', 'only print the link')
    .details(`
If the endpoint uses a ComfyUI server that has a page, that page opens. Otherwise, the newest comfyui-frontend-package is
installed into the data folder on first use.

The link works once, within a minute, and only for your user on this machine. The browser never gets the key.

Examples:
  $ drydock comfy open sketch
  $ drydock comfy open sketch --page ./static --print`)
    .onSession(async ({ client, output, options, service }, endpointId: string, asked: Asked) => {
      const { url, key } = service
      if (!/^http:\/\/(?:127\.0\.0\.1|localhost)(?=[:/]|$)/.test(url))
        throw usageError('`drydock comfy open` needs a service on this machine')
      const why = whyNoWorkflows(await client.call('endpointRead', { path: { endpointId } }))
      if (why !== undefined) throw usageError(`${endpointId} cannot run workflows: ${why}`)
      const usesServerPage = asked.page === undefined && (await serverHasPage({ endpointId, service: { url, key } }))
      const cache = join(dataFolder(options.data, surroundings), 'comfyui-page')
      const folder = usesServerPage ? undefined : (asked.page ?? (await install(cache, output.note)))
      if (folder !== undefined && !(await hasIndex(folder)))
        throw usageError(`there is no index.html in the folder ${folder}`)
      const page = createPage({ folder, endpointId, service: { url, key }, isSameUser })
      const listener = await listen(() => new Response(null, { status: 404 }), 0, { streams: page })
      const link = page.linkAt(listener.port)
      const stopped = new Promise<void>((resolve) => {
        const off = surroundings.onStopSignal(() => {
          off()
          resolve()
        })
      })
      try {
        if (asked.print === true) output.result({ url: link }, link)
        else {
          const problem = await openBrowser(link, surroundings.platform).catch((error: Error) => error.message)
          output.note(problem ?? `Opened ComfyUI's page on ${endpointId} in the browser. Stop it with Ctrl+C.`)
        }
        await stopped
      } finally {
        await listener.close(0)
      }
    })
}

type Asked = { readonly page?: string; readonly print?: true }

async function install(cache: string, note: (text: string) => void): Promise<string> {
  const installed = await installPage(cache, (name) => note(`Installing ComfyUI's page, ${name}, into ${cache} ...`))
  if ('why' in installed)
    throw new CliError('NOT_INSTALLED', {
      packages: 'comfyui-frontend-package',
      why: `${installed.why}. Install it yourself, and pass its folder with --page.`,
    })
  return installed.folder
}

async function isSameUser(connection: Parameters<typeof userOfConnection>[0]): Promise<boolean> {
  const user = await userOfConnection(connection)
  return user === undefined || user === 0 || user === process.getuid?.()
}
