import type { CliCommand } from '../../../app/cli/cli-command.ts'
import { duration, size } from '../../../app/cli/output.ts'
import { outputOf } from '../../../app/cli/session.ts'
import { stoppable } from '../../../app/cli/start-service.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'
import { counted } from '../../../lib/text.ts'
import { addImageBuildOptions, buildImageOf, type ImageBuildOptions, withRepository } from './build-repository.ts'
import { checkImageName } from './image-name.ts'

export function addImage(image: CliCommand, surroundings: Surroundings): void {
  addImageBuildOptions(
    image
      .command('build')
      .description('build the image of a folder or git repository with a Dockerfile')
      .argument('<source>', 'folder, or address of a git repository with #REF:FOLDER')
      .requiredOption('-t, --tag <image>', 'name of the image, like ghcr.io/ada/worker:1'),
  )
    .details(`
The folder is sent to the Docker engine without what .dockerignore leaves out. Secrets are mounted while a step runs, and
are in no layer; build arguments are in the history of the image. A git repository is cloned without its history into a
temporary folder. No service is needed.

Examples:
  $ drydock image build ./worker --tag ghcr.io/ada/worker:1
  $ drydock image build . --tag worker:dev --build-arg VERSION=2 --secret id=HF_TOKEN,env=HF_TOKEN
  $ drydock image build https://github.com/ada/workers.git#v2:sdxl --tag sdxl:2`)
    .action(async (source: string, options: ImageBuildOptions & { tag: string }, command: CliCommand) => {
      checkImageName(options.tag)
      const output = outputOf(command, surroundings)
      const beganAt = surroundings.now()
      await stoppable(
        surroundings,
        (signal) => `The build was stopped by ${signal}.`,
        async (signal) => {
          const shown = { output, surroundings, signal }
          await withRepository(source, shown, async (repository) => {
            const { id, sizeBytes, context, warnings } = await buildImageOf(repository, options, shown)
            const { commit } = repository
            if (!output.json) for (const warning of warnings) output.note(`warning: ${warning}`)
            const result = { image: options.tag, id, sizeBytes, ...(commit === undefined ? {} : { commit }), context }
            output.result({ ...result, warnings }, () => {
              const from = commit === undefined ? '' : ` from commit ${commit.slice(0, COMMIT_LENGTH)}`
              const took = duration(surroundings.now() - beganAt)
              output.line(`built ${options.tag}${from} in ${took}: ${size(sizeBytes)}, ${id}`)
              output.line(`sent ${counted(context.files, 'file')}, ${size(context.bytes)}`)
            })
          })
        },
      )
    })
}

const COMMIT_LENGTH = 12
