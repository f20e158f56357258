/**
 * How a cell finds out what a workspace holds. `$LAST` is the tree that the host knows it to have held last.
 *
 *   set_up ── open_adder ── scan ─────────────────────────────────── publish
 *   before the host      (A) ls-files: files git has not, ┐           when the host
 *   says go                  diff-files: files that differ├ add them  has the tree:
 *                        (B) the adder waits, index read  ┘ write-tree  index := copy
 *
 * Everything happens on a copy of the index and in a store of its own, so the index in the shadow only ever names objects that
 * are in the vault, whenever this is cut off. Small objects are written to memory, large ones and very many to the disk,
 * and all of them when the memory does not hold them.
 * The copy is split while it waits: then writing it costs what has changed, not what there is. Until the host says go, and
 * where git needs no file, it works aside, in an empty folder: what a stage made can neither mislead nor hold it there.
 *
 * Git takes a file for unchanged when its times, in whole seconds, and its size are those in the index, unless it is as young
 * as the index: then it compares the bytes. The published index is dated two seconds before the scan, so that this holds for
 * every file which can still change within its second. A young file with an older date has its entry blanked instead.
 *
 * A pipe where git expects a file would hold it for ever, and an endless file almost so: when a scan takes long and there is
 * one, git is ended. Pipes and sockets, which hold no bytes, are removed, and the scan begins again.
 */

import { MOST_NAMED } from "../slot/save-limits.ts";

const MOST_LISTED_BYTES = 100_000;
const MOST_FILE_GIB = 4;
const MOST_WAITING_INDEX_MIB = 64;
/** PATH_MAX of Linux, without the zero byte at its end. */
const MOST_PATH_BYTES = 4095;
const MOST_SHOWN_BYTES = 60;

export const SCAN = `
special() { find . -path ./.git -prune -o '(' -type p -o -type s ')' "$@"; }
listed() { cat /tmp/changed /tmp/others | sed -z 's:^:./:' | xargs -0r "$@"; }
huge() { listed sh -c 'exec find "$@" -maxdepth 0 -type f -size +$((${MOST_FILE_GIB} << 20))k -print -quit' sh; }
watch() {
  pause=1
  while sleep "$pause"; do
    [ -n "$(special -print -quit)" ] || [ -n "$(huge)" ] && for process in /proc/[0-9]*; do
      [ "\${process#/proc/}" != "$packer" ] && read -r name <"$process/comm" || continue
      case $name in git*) kill -9 "\${process#/proc/}" ;; esac
    done
    pause=$((pause * 2))
  done
}
refuse() { say unfit "$1"; exit 0; }
set_up() {
  adder=; packer=
  for file in "$GIT_DIR"/new/* "$GIT_DIR"/index.* "$GIT_DIR"/sharedindex*; do
    [ ! -e "$file" ] || { rm -rf "$GIT_DIR/new" "$GIT_DIR"/index.* "$GIT_DIR"/sharedindex*; break; }
  done
  mkdir -p /tmp/new /tmp/nowhere "$GIT_DIR/new/pack" && ln -s "$GIT_DIR/new/pack" /tmp/new/pack || fail
  mkfifo /tmp/paths /tmp/wanted || fail
  export GIT_OBJECT_DIRECTORY=/tmp/new GIT_ALTERNATE_OBJECT_DIRECTORIES="$GIT_DIR/new:$GIT_ALTERNATE_OBJECT_DIRECTORIES"
}
mend() {
  rm -f "$GIT_DIR/index" "$GIT_DIR/index.lock" "$GIT_DIR/known"
  [ -z "$LAST" ] || git read-tree "$LAST" 2>/tmp/e1
}
copy_index() {
  rm -f /tmp/index*
  cp -p "$GIT_DIR/index" /tmp/index
}
aside() { cd /tmp/nowhere && export GIT_INDEX_FILE=/tmp/index GIT_WORK_TREE=/tmp/nowhere; }
split_index() { (aside && exec git update-index --split-index 2>/tmp/e1) && touch -r "$GIT_DIR/index" /tmp/index; }
add() {
  GIT_INDEX_FILE=/tmp/index git -c core.bigFileThreshold=1m update-index --add --replace "$@" -z --stdin 2>/tmp/e3
}
open_adder() {
  { exec 6>&- 7>&- 8>&-; add --remove </tmp/paths; } & adder=$!
  exec 9>/tmp/paths
}
end_adder() {
  exec 9>&-
  wait "$adder"; added=$?; adder=
  [ "$added" = 0 ] && [ ! -s /tmp/e3 ]
}
wait_ready() {
  [ -f "$GIT_DIR/index" ] && [ -z "$(find "$GIT_DIR/index" -size +${MOST_WAITING_INDEX_MIB}M)" ] || return 0
  copy_index && split_index && open_adder || adder=
}
look() {
  exec 6>/tmp/changed 7>/tmp/others
  git ls-files -z -o -X "$GIT_DIR/info/exclude" >&7 2>/tmp/e1 8>&- 9>&- & others=$!
  git diff-files -z --name-only >&6 2>/tmp/e2; changed=$?
  wait "$others" && [ "$changed" = 0 ] || return 1
  [ ! -s /tmp/e1 ] && [ ! -s /tmp/e2 ] || ! grep -qE '^(fatal|error)|could not|unable to|denied' /tmp/e1 /tmp/e2
}
check_nested() {
  [ -s /tmp/others ] && grep -zq '/$' /tmp/others || return 0
  refuse "the nested repository $(grep -z '/$' /tmp/others | head -zn 3 | tr '\\0' ' ')"
}
check_gitlinks() {
  [ -s "$GIT_DIR/gitlinks" ] || return 0
  xargs -0 sh -c 'for at; do [ -d "./$at" ] && [ ! -L "./$at" ] && [ -n "$(ls -A "./$at")" ] && printf "%s " "$at"; done; true' sh \\
    <"$GIT_DIR/gitlinks" >/tmp/filled
  [ ! -s /tmp/filled ] || refuse "files in the folder of a submodule: $(head -c 200 /tmp/filled)"
}
check_huge() {
  at=$(huge)
  [ -z "$at" ] || refuse "a file of more than ${MOST_FILE_GIB} GiB: \${at#./}"
}
check_long() {
  at=$(find . -mindepth 1 -path ./.git -prune -o -printf '%P\\0' | tr '\\n\\0' '?\\n' | LC_ALL=C awk '
    length($0) >= ${MOST_PATH_BYTES} && !bytes { head = substr($0, 1, ${MOST_SHOWN_BYTES}) }
    length($0) >= ${MOST_PATH_BYTES} && length($0) > bytes { bytes = length($0); tail = substr($0, bytes - ${MOST_SHOWN_BYTES - 1}) }
    END { if (bytes) print "a path of " bytes " bytes, and the system opens none with more than ${MOST_PATH_BYTES}: " head "…" tail }')
  [ -z "$at" ] || refuse "$at"
}
weigh() {
  sed -z 's:^:./:' /tmp/changed | xargs -0r sh -c 'as=$1; shift; exec find "$@" -maxdepth 0 ! -type d -printf "$as"' sh "$1"
  sed -z 's:^:./:' /tmp/others | xargs -0r sh -c 'as=$1; shift; exec find "$@" ! -type d -printf "$as"' sh "$1"
}
count_folders() {
  awk -F / '{ at = "."; for (i = 2; i < NF; i++) { at = at "/" $i; files[at]++ } if (NF == 2) files[at]++ }
    END { for (at in files) print files[at], at "/" }'
}
check_size() {
  ! is_clean && [ -f "$GIT_DIR/limits" ] && read -r most_bytes most_files <"$GIT_DIR/limits" || return 0
  weigh '%s\\n' 2>/dev/null | awk '{ bytes += $1 } END { printf "%.0f %.0f\\n", bytes, NR }' >/tmp/weight
  read -r bytes files </tmp/weight || return 0
  [ "$bytes" -gt "$most_bytes" ] || [ "$files" -gt "$most_files" ] || return 0
  printf '%s\\n' large "$bytes" "$files" "$most_bytes" "$most_files"
  if [ "$bytes" -gt "$most_bytes" ]; then weigh '%s %p\\0' | tr '\\n\\0' '?\\n'; else weigh '%p\\0' | tr '\\n\\0' '?\\n' | count_folders; fi 2>/dev/null |
    sort -k 1,1rn -k 2 | head -n ${MOST_NAMED}
  printf '\\0'
  exit 0
}
is_clean() { [ ! -s /tmp/changed ] && [ ! -s /tmp/others ]; }
is_long() {
  read -r name size </proc/self/fdinfo/6 && read -r name more </proc/self/fdinfo/7 &&
    [ $((size + more)) -gt ${MOST_LISTED_BYTES} ]
}
take() {
  if is_long; then
    end_adder || return 1
    check_nested; check_gitlinks
    export GIT_OBJECT_DIRECTORY="$GIT_DIR/new"
    cat /tmp/changed /tmp/others | add --remove; added=$?
    [ "$added" = 0 ] && [ ! -s /tmp/e3 ]
  else
    is_clean || cat /tmp/changed /tmp/others >&9
    exec 9>&-
    check_nested; check_gitlinks
    end_adder
  fi
}
take_slowly() {
  rm -f /tmp/index.lock
  GIT_INDEX_FILE=/tmp/index git add -u . 2>/tmp/e3 && add </tmp/others && [ ! -s /tmp/e3 ] && return 0
  bad=$(sed -n "s/^error: Invalid path '\\(.*\\)'$/\\1/p; s/^Ignoring path \\(.*\\)/\\1/p" /tmp/e3 | head -n 1)
  [ -z "$bad" ] || refuse "a name that belongs to git: $bad"
  return 1
}
scan_once() {
  [ -f "$GIT_DIR/index" ] || mend || return 1
  [ -n "$adder" ] || { copy_index && open_adder; } || return 1
  look || { open_up; look; } || { end_adder; return 1; }
  check_size
  take || { [ "$added" != 137 ] && take_slowly; } || return 1
  is_clean || say soon
  if is_clean && [ -n "$LAST" ] && [ "$LAST" = "$known" ]; then tree=$LAST
  else tree=$(aside && exec git write-tree 2>/tmp/e4) || return 1; fi
}
to_disk() {
  export GIT_OBJECT_DIRECTORY="$GIT_DIR/new"
  find /tmp/new -mindepth 1 -maxdepth 1 ! -name pack -exec rm -rf {} +
}
scan() {
  : >/tmp/began
  known=
  [ ! -f "$GIT_DIR/known" ] || read -r known <"$GIT_DIR/known"
  { exec >/dev/null 2>&1 6>&- 7>&- 8>&- 9>&-; watch; } & watcher=$!
  scan_once || { check_huge; check_long; special -exec rm -f {} +; open_up; to_disk; scan_once; } || { mend; known=; scan_once; } || fail
  kill "$watcher" 2>/dev/null
}
blank() { xargs -0 git --literal-pathspecs ls-files -s -z -- | git update-index -z --index-info; }
publish() {
  ! is_clean || return 0
  touch -r /tmp/began -d '2 seconds ago' /tmp/mark || return 1
  listed sh -c 'find "$@" -maxdepth 0 ! -type d -cnewer /tmp/mark ! -newer /tmp/mark -print0; true' sh 2>/dev/null |
    sed -z 's:^\\./::' >/tmp/doubtful
  (aside && git update-index --no-split-index && { [ ! -s /tmp/doubtful ] || blank </tmp/doubtful; }) || return 1
  rm -f "$GIT_DIR/known"
  cp /tmp/index "$GIT_DIR/index.new" && touch -r /tmp/mark "$GIT_DIR/index.new" &&
    mv "$GIT_DIR/index.new" "$GIT_DIR/index" && printf '%s\\n' "$tree" >"$GIT_DIR/known"
}
`;
