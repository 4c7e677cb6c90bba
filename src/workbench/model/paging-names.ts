/** The usual names of "how many" in parameters and arguments that page a list, without regard to case and separators. */
export const PAGE_SIZE = /^(limit|count|take|top|first|last|size|per_?page|page_?size|max_?(results|items))$/i;

/** And of "from where". */
export const PAGE_START =
  /^(offset|skip|start|page|page_?(number|token)|after|before|since|cursor|(starting|ending)_?(after|before))$/i;
