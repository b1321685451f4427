//! A figure's SVG as a PDF page of the same size: paths, pictures, and text as text in the embedded font.
//!
//! In: what the charts and sheets of [`figures`](crate::figures) write. It knows plain colours, opacity of single
//! shapes, dashes and PNG pictures; gradients, masks, filters and clips are refused. Out: PDF 1.7, the same bytes for
//! the same figure. Source: ISO 32000-1:2008.

use crate::fonts::{BOLD, REGULAR, options};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use pdf_writer::types::{
    CidFontType, FontFlags, LineCapStyle, LineJoinStyle, SystemInfo, UnicodeCmap,
};
use pdf_writer::{Content, Filter, Finish, Name, Pdf, Rect, Ref, Str, TextStr};
use resvg::tiny_skia::{PathSegment, Transform};
use resvg::usvg::{
    self, FillRule, Group, ImageKind, ImageRendering, LineCap, LineJoin, Node, Paint,
};
use std::collections::BTreeMap;
use std::io::Write;
use ttf_parser::{Face, GlyphId};

/// Points of PDF for a pixel of CSS.
const POINTS: f32 = 72.0 / 96.0;

const CATALOG: Ref = Ref::new(1);
const PAGES: Ref = Ref::new(2);
const PAGE: Ref = Ref::new(3);
const CONTENT: Ref = Ref::new(4);
const INFO: Ref = Ref::new(5);
/// The first object that is no part of every page.
const FIRST_FREE: i32 = 6;

const IDENTITY: SystemInfo<'static> =
    SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"Identity"), supplement: 0 };

/// A PDF of one page.
///
/// # Errors
/// It is no SVG, or holds something that charts and sheets do not.
pub(super) fn of_svg(svg: &str, title: &str) -> Result<Vec<u8>, String> {
    let tree = usvg::Tree::from_str(svg, &options()).map_err(|e| e.to_string())?;
    let size = tree.size();
    let mut page = Page::new(&tree)?;
    // SVG counts down from the top.
    page.content.transform([POINTS, 0.0, 0.0, -POINTS, 0.0, size.height() * POINTS]);
    page.group(tree.root(), 1.0)?;
    page.finish((size.width() * POINTS, size.height() * POINTS), title)
}

/// A face of the embedded font, and the glyphs that are used of it.
struct Font {
    face: Face<'static>,
    bytes: &'static [u8],
    name: &'static str,
    /// Text of each glyph.
    used: BTreeMap<u16, String>,
}

impl Font {
    /// Width of a glyph in thousandths of an em.
    fn width(&self, glyph: u16) -> f32 {
        let units = f32::from(self.face.glyph_hor_advance(GlyphId(glyph)).unwrap_or(0));
        1000.0 * units / f32::from(self.face.units_per_em())
    }
}

/// A page being written.
struct Page<'a> {
    tree: &'a usvg::Tree,
    content: Content,
    /// Regular and bold.
    fonts: [Font; 2],
    /// Opacities in use, in thousandths.
    opacities: Vec<u16>,
    pictures: Vec<Picture>,
}

/// A picture: width, height, RGB bytes, whether it is smoothed.
struct Picture {
    size: (u32, u32),
    rgb: Vec<u8>,
    smooth: bool,
}

impl<'a> Page<'a> {
    fn new(tree: &'a usvg::Tree) -> Result<Self, String> {
        let font = |bytes: &'static [u8], name| -> Result<Font, String> {
            let face = Face::parse(bytes, 0).map_err(|e| e.to_string())?;
            Ok(Font { face, bytes, name, used: BTreeMap::new() })
        };
        // The letters before the plus say that it is a subset.
        let fonts = [font(REGULAR, "PICLRG+DejaVuSans")?, font(BOLD, "PICLBD+DejaVuSans-Bold")?];
        let (opacities, pictures) = (Vec::new(), Vec::new());
        Ok(Page { tree, content: Content::new(), fonts, opacities, pictures })
    }

    fn group(&mut self, group: &Group, opacity: f32) -> Result<(), String> {
        if group.clip_path().is_some() || group.mask().is_some() || !group.filters().is_empty() {
            return Err("a clip, mask or filter, which a PDF of this program cannot have".into());
        }
        let opacity = opacity * group.opacity().get();
        for node in group.children() {
            match node {
                Node::Group(group) => self.group(group, opacity)?,
                Node::Path(path) => self.path(path, opacity)?,
                Node::Text(text) => self.text(text, opacity)?,
                Node::Image(image) => self.picture(image)?,
            }
        }
        Ok(())
    }

    /// Saves the state and moves into the place of a node.
    fn enter(&mut self, to: Transform) {
        self.content.save_state();
        if !to.is_identity() {
            self.content.transform([to.sx, to.ky, to.kx, to.sy, to.tx, to.ty]);
        }
    }

    fn opacity(&mut self, opacity: f32) {
        let thousandths = (opacity * 1000.0).round() as u16;
        if thousandths >= 1000 {
            return;
        }
        if !self.opacities.contains(&thousandths) {
            self.opacities.push(thousandths);
        }
        self.content.set_parameters(Name(format!("O{thousandths}").as_bytes()));
    }

    fn path(&mut self, path: &usvg::Path, opacity: f32) -> Result<(), String> {
        if !path.is_visible() {
            return Ok(());
        }
        self.enter(path.abs_transform());
        if let Some(fill) = path.fill() {
            self.content.save_state();
            let [r, g, b] = colour(fill.paint())?;
            self.content.set_fill_rgb(r, g, b);
            self.opacity(opacity * fill.opacity().get());
            self.outline(path);
            match fill.rule() {
                FillRule::NonZero => self.content.fill_nonzero(),
                FillRule::EvenOdd => self.content.fill_even_odd(),
            };
            self.content.restore_state();
        }
        if let Some(stroke) = path.stroke() {
            let [r, g, b] = colour(stroke.paint())?;
            self.content.set_stroke_rgb(r, g, b);
            self.opacity(opacity * stroke.opacity().get());
            self.content.set_line_width(stroke.width().get());
            self.content.set_line_cap(match stroke.linecap() {
                LineCap::Butt => LineCapStyle::ButtCap,
                LineCap::Round => LineCapStyle::RoundCap,
                LineCap::Square => LineCapStyle::ProjectingSquareCap,
            });
            self.content.set_line_join(match stroke.linejoin() {
                LineJoin::Round => LineJoinStyle::RoundJoin,
                LineJoin::Bevel => LineJoinStyle::BevelJoin,
                _ => LineJoinStyle::MiterJoin,
            });
            if let Some(dashes) = stroke.dasharray() {
                self.content.set_dash_pattern(dashes.iter().copied(), stroke.dashoffset());
            }
            self.outline(path);
            self.content.stroke();
        }
        self.content.restore_state();
        Ok(())
    }

    fn outline(&mut self, path: &usvg::Path) {
        let mut at = (0.0, 0.0);
        for segment in path.data().segments() {
            match segment {
                PathSegment::MoveTo(p) => {
                    self.content.move_to(p.x, p.y);
                    at = (p.x, p.y);
                }
                PathSegment::LineTo(p) => {
                    self.content.line_to(p.x, p.y);
                    at = (p.x, p.y);
                }
                PathSegment::QuadTo(c, p) => {
                    // The same curve as a cubic: its handles two thirds of the way to the one of the quadratic.
                    let towards = |from: f32, to: f32| from + (to - from) * 2.0 / 3.0;
                    let (ax, ay) = (towards(at.0, c.x), towards(at.1, c.y));
                    let (bx, by) = (towards(p.x, c.x), towards(p.y, c.y));
                    self.content.cubic_to(ax, ay, bx, by, p.x, p.y);
                    at = (p.x, p.y);
                }
                PathSegment::CubicTo(a, b, p) => {
                    self.content.cubic_to(a.x, a.y, b.x, b.y, p.x, p.y);
                    at = (p.x, p.y);
                }
                PathSegment::Close => {
                    self.content.close_path();
                }
            }
        }
    }

    /// Glyphs where the layout of the SVG put them, each run of them as one text.
    fn text(&mut self, text: &usvg::Text, opacity: f32) -> Result<(), String> {
        for span in text.layouted().iter().filter(|span| span.visible) {
            let Some(fill) = &span.fill else { continue };
            let Some(first) = span.positioned_glyphs.first() else { continue };
            let bold = self.tree.fontdb().face(first.font).is_some_and(|face| face.weight.0 >= 600);
            let font = usize::from(bold);
            self.enter(text.abs_transform());
            let [r, g, b] = colour(&fill.paint().clone())?;
            self.content.set_fill_rgb(r, g, b);
            self.opacity(opacity * fill.opacity().get());
            // A glyph's transform takes font units to the page; PDF's text space counts in em.
            let em = f32::from(self.fonts[font].face.units_per_em());
            let place = |glyph: &usvg::layout::PositionedGlyph| {
                glyph.outline_transform().pre_concat(Transform::from_scale(em, em))
            };
            let start = place(first);
            self.content.begin_text();
            self.content.set_font(Name(FONTS[font]), 1.0);
            self.content
                .set_text_matrix([start.sx, start.ky, start.kx, start.sy, start.tx, start.ty]);
            let length = start.sx.hypot(start.ky);
            let mut shown = self.content.show_positioned();
            let mut items = shown.items();
            // Where the next glyph would stand by itself, in thousandths of an em from the first.
            let mut reached = 0.0;
            for glyph in &span.positioned_glyphs {
                let id = u16::try_from(glyph.id.0).map_err(|_| "a glyph of another font")?;
                let to = place(glyph);
                let far = (to.tx - start.tx).hypot(to.ty - start.ty) / length * 1000.0;
                if (far - reached).abs() > 0.5 {
                    items.adjust(reached - far);
                    reached = far;
                }
                items.show(Str(&id.to_be_bytes()));
                reached += self.fonts[font].width(id);
                self.fonts[font].used.entry(id).or_insert_with(|| glyph.text.clone());
            }
            items.finish();
            shown.finish();
            self.content.end_text();
            self.content.restore_state();
        }
        Ok(())
    }

    fn picture(&mut self, image: &usvg::Image) -> Result<(), String> {
        let ImageKind::PNG(bytes) = image.kind() else {
            return Err("a picture that is no PNG".into());
        };
        let decoded = image::load_from_memory_with_format(bytes, image::ImageFormat::Png)
            .map_err(|e| e.to_string())?
            .into_rgba8();
        // On white paper.
        let over = |p: &image::Rgba<u8>| {
            let [r, g, b, a] = p.0.map(u32::from);
            [r, g, b].map(|c| ((c * a + 255 * (255 - a) + 127) / 255) as u8)
        };
        let rgb = decoded.pixels().flat_map(over).collect();
        let smooth = !matches!(
            image.rendering_mode(),
            ImageRendering::OptimizeSpeed | ImageRendering::Pixelated | ImageRendering::CrispEdges
        );
        self.enter(image.abs_transform());
        // PDF's pictures fill the unit square from its lower left.
        let (width, height) = (image.size().width(), image.size().height());
        self.content.transform([width, 0.0, 0.0, -height, 0.0, height]);
        self.content.x_object(Name(format!("P{}", self.pictures.len()).as_bytes()));
        self.content.restore_state();
        self.pictures.push(Picture { size: decoded.dimensions(), rgb, smooth });
        Ok(())
    }

    fn finish(self, (width, height): (f32, f32), title: &str) -> Result<Vec<u8>, String> {
        let Page { content, fonts, opacities, pictures, .. } = self;
        let mut free = FIRST_FREE;
        let mut next = || {
            free += 1;
            Ref::new(free - 1)
        };
        let mut pdf = Pdf::new();
        pdf.catalog(CATALOG).pages(PAGES);
        pdf.pages(PAGES).kids([PAGE]).count(1);
        pdf.document_info(INFO)
            .title(TextStr(title))
            .producer(TextStr(concat!("picloom ", env!("CARGO_PKG_VERSION"))));
        let mut page = pdf.page(PAGE);
        page.parent(PAGES).media_box(Rect::new(0.0, 0.0, width, height)).contents(CONTENT);
        let mut resources = page.resources();
        let used: Vec<(usize, [Ref; 5])> = (0..2)
            .filter(|i| !fonts[*i].used.is_empty())
            .map(|i| (i, std::array::from_fn(|_| next())))
            .collect();
        let mut names = resources.fonts();
        for (i, refs) in &used {
            names.pair(Name(FONTS[*i]), refs[0]);
        }
        names.finish();
        let mut states = resources.ext_g_states();
        for thousandths in &opacities {
            let alpha = f32::from(*thousandths) / 1000.0;
            states
                .insert(Name(format!("O{thousandths}").as_bytes()))
                .start::<pdf_writer::writers::ExtGraphicsState<'_>>()
                .non_stroking_alpha(alpha)
                .stroking_alpha(alpha);
        }
        states.finish();
        let of_pictures: Vec<Ref> = pictures.iter().map(|_| next()).collect();
        let mut objects = resources.x_objects();
        for (i, at) in of_pictures.iter().enumerate() {
            objects.pair(Name(format!("P{i}").as_bytes()), *at);
        }
        objects.finish();
        resources.finish();
        page.finish();
        pdf.stream(CONTENT, &packed(content.finish().as_slice())).filter(Filter::FlateDecode);
        for (i, refs) in used {
            embed(&mut pdf, &fonts[i], refs);
        }
        for (picture, at) in pictures.iter().zip(of_pictures) {
            let data = packed(&picture.rgb);
            let mut object = pdf.image_xobject(at, &data);
            object.filter(Filter::FlateDecode);
            object.width(picture.size.0 as i32).height(picture.size.1 as i32);
            object.color_space().device_rgb();
            object.bits_per_component(8).interpolate(picture.smooth);
        }
        Ok(pdf.finish())
    }
}

/// Names of the faces on the page.
const FONTS: [&[u8]; 2] = [b"F0", b"F1"];

/// Writes a face: its glyphs are named by their number, and each says what text it stands for.
fn embed(pdf: &mut Pdf, font: &Font, [whole, glyphs, about, file, texts]: [Ref; 5]) {
    let (face, name) = (&font.face, Name(font.name.as_bytes()));
    pdf.type0_font(whole)
        .base_font(name)
        .encoding_predefined(Name(b"Identity-H"))
        .descendant_font(glyphs)
        .to_unicode(texts);
    let mut cid = pdf.cid_font(glyphs);
    cid.subtype(CidFontType::Type2).base_font(name).system_info(IDENTITY).font_descriptor(about);
    cid.cid_to_gid_map_predefined(Name(b"Identity")).default_width(0.0);
    let mut widths = cid.widths();
    for glyph in font.used.keys() {
        widths.consecutive(*glyph, [font.width(*glyph)]);
    }
    widths.finish();
    cid.finish();
    let scale = |units: i16| 1000.0 * f32::from(units) / f32::from(face.units_per_em());
    let bounds = face.global_bounding_box();
    pdf.font_descriptor(about)
        .name(name)
        .flags(FontFlags::NON_SYMBOLIC)
        .bbox(Rect::new(
            scale(bounds.x_min),
            scale(bounds.y_min),
            scale(bounds.x_max),
            scale(bounds.y_max),
        ))
        .italic_angle(0.0)
        .ascent(scale(face.ascender()))
        .descent(scale(face.descender()))
        .cap_height(scale(face.capital_height().unwrap_or(face.ascender())))
        .stem_v(80.0)
        .font_file2(file);
    let data = packed(font.bytes);
    let mut stream = pdf.stream(file, &data);
    stream.filter(Filter::FlateDecode);
    stream.pair(Name(b"Length1"), font.bytes.len() as i32);
    stream.finish();
    let mut map = UnicodeCmap::new(Name(b"Custom"), IDENTITY);
    for (glyph, text) in &font.used {
        map.pair_with_multiple(*glyph, text.chars());
    }
    pdf.stream(texts, &packed(map.finish().as_slice())).filter(Filter::FlateDecode);
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("memory can be written");
    encoder.finish().expect("memory can be written")
}

fn colour(paint: &Paint) -> Result<[f32; 3], String> {
    match paint {
        Paint::Color(c) => Ok([c.red, c.green, c.blue].map(|channel| f32::from(channel) / 255.0)),
        _ => Err("a gradient or pattern".into()),
    }
}
