// A command in a sentence; not the beginning of a path or a name.
const COMMAND = /(?<![\w/.$-])drydock (?=[a-z-])/g

/**
 * A hint as its reader can type it.
 * @param text with commands as `drydock deploy`
 * @param name how the command line is called, like `npx drydock`
 */
export function asCalledBy(text: string, name: string): string {
  return name === 'drydock' ? text : text.replace(COMMAND, `${name} `)
}
