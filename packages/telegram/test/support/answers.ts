/** An answer with everything that models write, about 4 kB long. */
export const TECHNICAL = `# Reading a large file 📄

Here is a **short** overview of *three* ways, from the ~~worst~~ simplest to the best. See the [manual](https://docs.python.org/3/library/io.html "io") or https://example.com/path?x=1&y=2.

## 1. All at once

> **Note:** this needs as much memory as the file is long.
> > And that can be a lot.
> - on small machines
> - on shared ones

\`\`\`python
def read_all(path: str) -> str:
\t"""Reads it all."""
    with open(path, encoding="utf-8") as file:
        return file.read()

if __name__ == "__main__":
    print(read_all("notes.txt")[:100])  # *not* emphasis, **not** bold, [not](a link)
\`\`\`

## 2. Line by line

1. Open the file with \`open(path)\`.
2. Walk over it:
   - each step gives one line,
     with its line break;
   - \`rstrip("\\n")\` takes it off;
     1. only at the end,
     2. never in front.
3. Close it, or use **\`with\`**.

- [ ] measure first
- [x] then decide 👍🏽

| Way | Memory | Speed | Emoji |
|:----|-------:|:-----:|-------|
| all at once | *n* bytes | fast | 🚀 |
| line by line | \`O(1)\` | medium | 👨‍👩‍👧‍👦 |
| mapped | 中文字符 | **fastest** | 🇩🇪 |

---

### 3. Mapped

Use \`mmap\` &mdash; the system reads &lt;what is needed&gt; &amp; nothing more:

    import mmap
    mmap.mmap(file.fileno(), 0)

<details>
<summary>Why?</summary>
Because pages come in by themselves.
</details>

Inline <b>tags</b> stay, as do a_snake_case_name, 2 * 3 * 4, ~5 km and 100 % of **half-written things.

\`\`\`\`markdown
A fence in a fence:
\`\`\`js
console.log("x");
\`\`\`
\`\`\`\`

Good luck! ![A picture](https://example.com/a.png)
`;

/** Chinese, without spaces. */
const CHINESE = `## 如何学习编程

学习编程**最重要**的是坚持。首先，选择一门语言，例如\`Python\`；然后，每天写一点代码！你会发现，进步很快。

1. 安装环境
2. 写第一个程序：
   \`\`\`python
   print("你好，世界 🌏")
   \`\`\`
3. 阅读[官方文档](https://docs.python.org/zh-cn/3/)

| 步骤 | 时间 |
|---|---|
| 入门 | 一个月 |
| 进阶 | 半年 |

> 千里之行，始于足下。
`;

/** Hebrew and Arabic, with direction marks. */
const RIGHT_TO_LEFT = `**שלום** עולם! \u200Fזהו \`code\` בתוך טקסט.

- פריט ראשון
- פריט שני עם [קישור](https://he.wikipedia.org/)

مرحبا *بالعالم*، هذا نص عربي مع **تنسيق** و\u200E\u200F علامات.

> اقتباس قصير.
`;

/** Characters made of many code units. */
const CLUSTERS = `नमस्ते **दुनिया** 👩🏽‍🚀👨‍👩‍👧‍👦🏳️‍🌈 e\u0301e\u0301 ñ 각 *ក្រុម* 🇯🇵🇧🇷 \`👩‍💻\`

${"👨‍👩‍👧‍👦".repeat(40)}

~~Z\u0351\u036Ba\u0363\u0348l\u0300g\u0315o\u0358~~ [🎉🎊](https://example.com/🎉)
`;

/** All of them. */
export const ANSWERS: readonly string[] = [TECHNICAL, CHINESE, RIGHT_TO_LEFT, CLUSTERS];
