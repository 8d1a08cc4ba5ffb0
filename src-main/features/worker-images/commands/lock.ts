import { Option } from 'commander'
import type { CliCommand } from '../../../app/cli/cli-command.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'
import { FOREIGN_FORMATS } from '../../../contract/foreign-formats.ts'
import type { LockOptions } from './lock/lock-file.ts'

const repeated = (text: string, before: readonly string[] = []) => [...before, text]

export function addWorkflowLock(parent: CliCommand, surroundings: Surroundings): void {
  parent
    .command('lock')
    .description('lock everything that the worker image of a graph is built from, at exact versions')
    .argument('[file]', 'workflow as JSON, a picture that contains a graph, or a lock for --update and --as')
    .option('-o, --output <file>', 'write to this file (default: NAME.lock.yaml next to the graph)')
    .option('--nodes <name=source>', 'source of this node package; may be repeated', repeated)
    .option('--comfyui <source>', 'a version, like 0.3.40, or a repository, like ADDRESS@REF or PATH@REF')
    .addOption(
      new Option('--server <url>', 'use the classes and versions of this ComfyUI server').conflicts('endpoint'),
    )
    .option('--endpoint <endpoint>', 'use the classes and versions of this endpoint')
    .option('--snapshot <file>', 'use the versions in this snapshot of ComfyUI-Manager')
    .option('--from <file>', 'read a comfy-build.yaml, snapshot or comfy-lock.yaml; without a graph, all of it')
    .addOption(new Option('--as <format>', 'write the lock in the format of another tool').choices(FOREIGN_FORMATS))
    .option('--update <node[=ref]>', 'change only this package, or ComfyUI, to a version; may be repeated', repeated)
    .option('--models <folder>', 'also look for models in this folder; may be repeated', repeated)
    .option('--model <name=address>', 'address to download this model from; may be repeated', repeated)
    .option('--base <image>', 'base image')
    .option('--python <version>', 'Python version of the base image')
    .option(
      '--provides <name=version>',
      'Python package of the base image, which is never replaced; may be repeated',
      repeated,
    )
    .option('--env <name=value>', 'variable of the worker, without secrets; may be repeated', repeated)
    .option('--local', "for workers on this machine only, without the platform's SDK and its 100 Python packages")
    .option('--no-local', 'for workers everywhere again, if the lock is for this machine only')
    .option('--run-setup', 'run the set-up programs of Python packages that the lock accepts, to read what they need')
    .option('--no-resolve', 'keep the Python packages of the lock that is there, and resolve none')
    .option('--registry <url>', 'registry of node packages')
    .details(`
A SOURCE is a folder, PATH@REF or ADDRESS@REF of a git repository (https or ssh), or registry:ID@VERSION. Versions come from
--nodes, then the existing lock, --from, --snapshot, the server, the graph, and last the index of packages in the data folder.
If several packages match, it asks on a terminal; elsewhere it lists the options and exits with code 1. An existing lock keeps
its versions and comments.

Examples:
  $ drydock workflow lock cat.json -o cat.lock.yaml
  $ drydock workflow lock cat.json --server http://127.0.0.1:8188 --nodes ink=./ink
  $ drydock workflow lock cat.lock.yaml --update ink=v2
  $ drydock workflow lock --from comfy-build.yaml -o cat.lock.yaml
  $ drydock workflow lock cat.lock.yaml --as snapshot -o snapshot.json`)
    .action(async (file: string | undefined, options: LockOptions, command: CliCommand) => {
      const { lockFile } = await import('./lock/lock-file.ts')
      await lockFile(file, options, { command, surroundings })
    })
}
