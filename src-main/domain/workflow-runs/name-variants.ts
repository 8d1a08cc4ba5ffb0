/** `x.png`, `x (1).png`, `x (2).png` ...: the names that a file gets where others have the one before. Source: the field's way. */
export function* nameVariants(name: string): Generator<string, void> {
  yield name
  const dot = name.lastIndexOf('.')
  const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
  for (let n = 1; ; n++) yield `${stem} (${n})${ending}`
}
