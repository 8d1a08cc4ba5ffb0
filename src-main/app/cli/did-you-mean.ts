import { Command, CommanderError } from 'commander'

const SYNONYMS = [
  ['add', 'create', 'new', 'submit', 'start'],
  ['remove', 'delete', 'revoke', 'rm'],
  ['update', 'set', 'change', 'edit'],
]

const SUGGESTION = /\(Did you mean (.*)\?\)/

export function nearest(word: string, names: readonly string[]): string | undefined {
  const parser = new Command()
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ outputError: () => {} })
  for (const name of names) parser.addCommand(new Command(name))
  try {
    parser.parse([word], { from: 'user' })
    return undefined
  } catch (error) {
    return error instanceof CommanderError ? SUGGESTION.exec(error.message)?.[1] : undefined
  }
}

export function synonym(word: string, names: readonly string[]): string | undefined {
  const alike = SYNONYMS.find((words) => words.includes(word)) ?? []
  return alike.find((one) => names.includes(one))
}
