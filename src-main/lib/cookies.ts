export const cookiePairs = (header: string): readonly string[] => header.split(';').flatMap((pair) => pair.trim() || [])

export function cookieNamed(header: string | undefined, name: string): string | undefined {
  const found = cookiePairs(header ?? '').find((pair) => pair.startsWith(`${name}=`))
  return found?.slice(name.length + 1)
}
