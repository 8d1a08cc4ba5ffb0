export function listed(items: readonly string[]): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`
}

export const asks = (who: readonly string[]): string => `${listed(who)} ${who.length === 1 ? 'asks' : 'ask'} for`

export const useAnother = (from: string): string => `Use another version of ${from}, or leave it out.`
