import { Command, Option } from 'commander'
import type { Session } from './session.ts'
import type { Surroundings } from './surroundings.ts'

export class CliCommand extends Command {
  readonly #surroundings: Surroundings
  #example: string | undefined

  constructor(name: string | undefined, surroundings: Surroundings) {
    super(name)
    this.#surroundings = surroundings
  }

  override createCommand(name?: string): CliCommand {
    return new CliCommand(name, this.#surroundings)
  }

  details(text: string): this {
    this.#example ??= /^ {2}\$ (.+)$/m.exec(text)?.[1]
    return this.addHelpText('after', text)
  }

  examples(...lines: readonly string[]): this {
    return this.details(['\nExamples:', ...lines.map((line) => `  $ ${line}`)].join('\n'))
  }

  get example(): string | undefined {
    return this.#example
  }

  /** Accepts an option by its former name too, which help and completion leave out. */
  renamedOption(former: string, name: string): this {
    const option = this.options.find(({ long }) => long === name)
    if (option === undefined) throw new Error(`There is no option ${name}.`)
    const alias = new Option(option.flags.replace(/^.*?--[\w-]+/, former)).hideHelp()
    const attributeName = () => option.attributeName()
    return this.addOption(Object.assign(alias, { attributeName, parseArg: option.parseArg }))
  }

  onSession<Given extends readonly unknown[]>(run: (session: Session, ...given: Given) => Promise<unknown>): this {
    return this.action(async (...given: Given) => {
      const { openSession } = await import('./session.ts')
      await run(await openSession(this, this.#surroundings), ...given)
    })
  }
}
