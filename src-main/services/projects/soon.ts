/** How soon whoever follows a view is to see what has changed in it. */
export type Soon = 'now' | 'with others'
