/** Differences of two payloads by class and input, so that one cause is one line, however many files have it. */

type PayloadNode = {
  readonly class_type?: string
  readonly inputs: Readonly<Record<string, unknown>>
  readonly _meta?: { readonly title?: string }
}
type Payload = Readonly<Record<string, PayloadNode>>

/** Something that two payloads differ in. `what` is the same for the same cause. */
export type Difference = {
  readonly what: string
  readonly classType: string
  readonly node: string
  readonly page: unknown
  readonly ours: unknown
}

/** Finds what differs. Both are JSON; numbers are compared as the page reads them. */
export function differences(pagePayload: string, ourPayload: string): readonly Difference[] {
  const [page, ours] = [JSON.parse(pagePayload) as Payload, JSON.parse(ourPayload) as Payload]
  return [...new Set([...Object.keys(page), ...Object.keys(ours)])].flatMap((id) => ofNode(id, page[id], ours[id]))
}

function ofNode(id: string, page: PayloadNode | undefined, ours: PayloadNode | undefined): readonly Difference[] {
  const name = page?.class_type ?? ours?.class_type ?? '?'
  if (page === undefined || ours === undefined)
    return [{ what: `${name}: ${page === undefined ? 'only ours' : 'missing'}`, classType: name, node: id, page, ours }]
  const names = new Set([...Object.keys(page.inputs), ...Object.keys(ours.inputs)])
  const inputs = [...names].map((input) => [`${name}.${input}`, page.inputs[input], ours.inputs[input]] as const)
  const facts = [
    [`${name}: class`, page.class_type, ours.class_type] as const,
    [`${name}: title`, page._meta?.title, ours._meta?.title] as const,
    ...inputs,
  ]
  return facts.flatMap(([what, one, other]) =>
    JSON.stringify(one) === JSON.stringify(other) ? [] : [{ what, classType: name, node: id, page: one, ours: other }],
  )
}
