/**
 * Whether an output of one type may be linked to an input of another, as the editor lets a person do: `*` fits all, of
 * comma lists one member must be common, in any case of letters. Source: editor research, 5.
 */
export function typesFit(one: string, other: string): boolean {
  if (isAny(one) || isAny(other) || one === other) return true
  const others = new Set(members(other))
  return members(one).some((member) => others.has(member))
}

/** Whether a type fits all. */
export const isAny = (type: string): boolean => type === '*' || type === '' || type === MATCHING

// It follows what is linked to other slots of its node, of which files tell nothing.
const MATCHING = 'COMFY_MATCHTYPE_V3'

const members = (type: string): readonly string[] => type.split(',').map((member) => member.trim().toLowerCase())
