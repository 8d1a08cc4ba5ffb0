import type { CliCommand } from '../../app/cli/cli-command.ts'
import { usageError } from '../../app/cli/cli-error.ts'
import { type Output, valueText } from '../../app/cli/output.ts'
import { openSession } from '../../app/cli/session.ts'
import type { Surroundings } from '../../app/cli/surroundings.ts'
import type { ServiceSettings } from '../../contract/management.ts'

export function addSettings(settings: CliCommand, surroundings: Surroundings): void {
  settings
    .command('get', { isDefault: true })
    .description('print all settings, or one')
    .argument('[name]', 'name of a setting')
    .examples('drydock settings', 'drydock settings get maxWorkers --json')
    .action(async (name: string | undefined, _options: object, command: CliCommand) => {
      if (name !== undefined) await checkName(name)
      const { client, output } = await openSession(command, surroundings)
      const all = await client.call('settingsRead')
      if (name === undefined) showSettings(output, all)
      else output.result(pick(all, name), valueText(pick(all, name)[name]))
    })

  settings
    .command('set')
    .description('change a setting')
    .argument('<name>', 'name of the setting')
    .argument('<value>', 'its new value')
    .examples('drydock settings set maxWorkers 8', 'drydock settings set strictLimits true')
    .action(async (name: string, value: string, _options: object, command: CliCommand) => {
      await checkName(name)
      const { client, output } = await openSession(command, surroundings)
      showSettings(output, await client.call('settingsUpdate', { body: { [name]: typedValue(value) } }))
    })
}

function showSettings(output: Output, settings: ServiceSettings): void {
  output.result(settings, () =>
    output.fields(Object.entries(settings).map(([name, value]) => [name, value === '' ? 'none' : valueText(value)])),
  )
}

async function checkName(name: string): Promise<void> {
  const { serviceSettings } = await import('../../contract/management.ts')
  const names = Object.keys(serviceSettings.shape)
  if (!names.includes(name)) throw usageError(`There is no setting ${name}. The settings are ${names.join(', ')}.`)
}

function pick(settings: ServiceSettings, name: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(settings).filter(([each]) => each === name))
}

function typedValue(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true'
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text
}
