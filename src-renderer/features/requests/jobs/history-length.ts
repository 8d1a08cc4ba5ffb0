/** How many jobs the history of requests shows; answers look for theirs among them. */
export const HISTORY_LENGTH = 50
